// Results that a step can reuse.

/**
 * The function, computed again only if an argument has changed since the last call. Plain objects, such as a state, are
 * compared by their values, lists by identity.
 * @template {any[]} Given
 * @template Found
 * @param {(...given: Given) => Found} compute
 * @returns {(...given: Given) => Found}
 */
export function kept(compute) {
  /** @type {any[] | null} */
  let before = null;
  /** @type {Found} */
  let found;
  return (...given) => {
    const now = given.flatMap((one) => (one?.constructor === Object ? Object.values(one) : [one]));
    if (now.length !== before?.length || now.some((one, i) => !Object.is(one, before?.[i]))) found = compute(...given);
    before = now;
    return found;
  };
}
