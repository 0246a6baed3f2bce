// What the views of AttentionMap share: tokens as words, and results that can be reused.

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

// once()(key, act): act, unless the key is the last one.
export const once = () => {
  /** @type {string | null} */
  let last = null;
  return (/** @type {unknown[]} */ key, /** @type {() => void} */ act) => {
    const text = JSON.stringify(key);
    if (text !== last) act();
    last = text;
  };
};

/** @type {(x: number, low: number, high: number) => number} */
export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
