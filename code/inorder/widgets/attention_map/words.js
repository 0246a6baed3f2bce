// The words of AttentionMap.

// A token as it is shown: never empty, on one line, up to 24 characters. As spell in words.py.
/** @type {(token: string) => string} */
export function spell(token) {
  const text = token
    .replaceAll("\n", "⏎")
    .replaceAll("\t", "⇥")
    .replace(/\p{Cc}/gu, "·");
  const letters = [...text];
  const short = letters.length > 24 ? `${letters.slice(0, 23).join("")}…` : text;
  return short.trim() ? short : "␣";
}

/** @type {(n: number, one: string) => string} */
export const count = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;
