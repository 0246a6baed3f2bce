// Byte-level BPE as the file's header describes it: text to tokens and back, as the library `tokenizers` does it.
//
// A text is cut at its special tokens, then into digits, one by one, and pieces between them (what the file calls
// "smollm"); the pieces into words by GPT-2's pattern (Radford et al. 2019). Each byte of a word is a letter of an alphabet
// of 256; pairs of letters are joined, of all pairs that the list of merges has the one that stands first.

const CONTROL = 3; // the type of a special token
const DIGIT = /\p{N}|\P{N}+/gu;
// GPT-2's, without its numbers, which are out by now. \s of JavaScript is not quite what Unicode calls white space.
const WORD =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?[^\p{White_Space}\p{L}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;
const UNPAIRED = /\p{Surrogate}/gu; // with u, a pair is one character, and no surrogate

// Byte to letter: bytes that print stand for themselves, the others for characters from 256 on, in their order.
const LETTERS = alphabet();
const BYTES = new Map(LETTERS.map((letter, byte) => [letter, byte]));

function alphabet() {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const prints = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCharCode(prints ? byte : next++);
  });
}

/**
 *   encode(text)            tokens; an unpaired surrogate is read as U+FFFD, a byte that has no token is left out
 *   decode(ids, {special})  text; bytes that are no UTF-8 become U+FFFD; special tokens are left out unless asked for
 *   ends                    tokens that end a text or a turn
 * @param {Gguf["metadata"]} metadata
 * @returns {Tokenizer}
 */
export function createTokenizer(metadata) {
  const header = (/** @type {string} */ name) => metadata.get(`tokenizer.ggml.${name}`);
  const [tokens, merges] = /** @type {string[][]} */ (["tokens", "merges"].map(header));
  const types = /** @type {number[]} */ (header("token_type"));
  const size = tokens.length;
  const ids = new Map(tokens.map((token, id) => [token, id]));
  // By the two tokens of a pair, as one number: its rank and the token that it becomes.
  const ranks = new Map();
  merges.forEach((merge, rank) => {
    const [left, right] = merge.split(" ");
    ranks.set(Number(ids.get(left)) * size + Number(ids.get(right)), rank);
  });
  const joined = merges.map((merge) => Number(ids.get(merge.replace(" ", ""))));
  const specials = tokens.filter((_, id) => types[id] === CONTROL);
  const bySpecials = pattern(specials);
  const special = new Map(specials.map((token) => [token, Number(ids.get(token))]));
  const isSpecial = new Set(special.values());
  const letters = LETTERS.map((letter) => ids.get(letter)); // undefined where a byte has no token
  /** @type {Map<string, number[]>} */
  const known = new Map(); // words seen before

  /** @param {string} word */
  function wordTokens(word) {
    const before = known.get(word);
    if (before) return before;
    /** @type {number[]} */
    const parts = [];
    for (const byte of new TextEncoder().encode(word)) {
      const token = letters[byte];
      if (token !== undefined) parts.push(token);
    }
    const rank = (/** @type {number} */ i) => ranks.get(parts[i] * size + parts[i + 1]) ?? Number.POSITIVE_INFINITY;
    const pairs = parts.map((_, i) => (i + 1 < parts.length ? rank(i) : Number.POSITIVE_INFINITY));
    for (;;) {
      let best = 0;
      for (let i = 1; i < pairs.length; i++) if (pairs[i] < pairs[best]) best = i;
      if (!(pairs[best] < Number.POSITIVE_INFINITY)) break;
      parts.splice(best, 2, joined[pairs[best]]);
      pairs.splice(best, 1);
      if (best > 0) pairs[best - 1] = rank(best - 1);
      pairs[best] = best + 1 < parts.length ? rank(best) : Number.POSITIVE_INFINITY;
    }
    if (word.length < 50) known.set(word, parts);
    return parts;
  }

  /** @param {string} text */
  function encode(text) {
    const out = [];
    for (const part of text.replace(UNPAIRED, "\ufffd").split(bySpecials)) {
      const token = special.get(part);
      if (token !== undefined) out.push(token);
      else
        for (const piece of part.match(DIGIT) ?? [])
          for (const word of piece.match(WORD) ?? []) out.push(...wordTokens(word));
    }
    return out;
  }

  /** @param {number[]} tokenIds */
  function decode(tokenIds, { special: keep = false } = {}) {
    /** @type {number[]} */
    const bytes = [];
    for (const id of tokenIds) {
      if (isSpecial.has(id) && !keep) continue;
      for (const letter of tokens[id]) bytes.push(BYTES.get(letter) ?? 0xff);
    }
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
  }

  const ends = new Set([Number(header("eos_token_id")), Number(ids.get("<|endoftext|>"))]);
  return { encode, decode, ends };
}

/** Of several tokens that begin at one place the longest is taken. @param {string[]} specials */
function pattern(specials) {
  const parts = specials.map((token) => token.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`(${parts.sort((a, b) => b.length - a.length).join("|")})`, "u");
}
