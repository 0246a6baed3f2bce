// What a step need not compute again.

/**
 * The function, which computes only where an argument is not what it was the last time. Of a plain object, as a state,
 * its values count; of a list, which one it is.
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
