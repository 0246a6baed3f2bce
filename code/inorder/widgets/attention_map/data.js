// The weights of AttentionMap in the browser: unpacked, combined, fetched, reduced to what a picture can show.
// A head is { values: Float64Array (query, key), sums: of each row }.

/**
 * @typedef {AttentionMapState} State
 * @typedef {{ values: Float64Array, sums: Float32Array | null }} Head
 * @typedef {object} Data
 * @property {[number, number, number, number]} shape layers, heads, queries, keys
 * @property {8 | 16} bits
 * @property {Record<string, DataView<ArrayBuffer>>} heads packed, by layer and name
 * @property {{ rows: number, columns: number, largest: Matrix, pictures: DataView<ArrayBuffer> }} thumbnails
 * @property {boolean} aligned are queries and keys tokens of one text?
 * @property {Matrix} look_back (layer, head), like the next two
 * @property {Matrix} later
 * @property {Matrix} odd_rows
 * @property {number} tolerance
 *
 * @typedef {object} Now what AttentionMap draws from
 * @property {State} state
 * @property {boolean} dark
 * @property {number} em
 * @property {Data} data
 * @property {string[]} tokens
 * @property {string[]} keyTokens
 * @property {number} ahead keys before the first query
 * @property {Uint8Array | null} thumbnails
 * @property {Head | null} head null: not here
 * @property {Float32Array | null} shares of full colour, of that head
 *
 * @typedef {object} Actions
 * @property {(parts: Partial<State>) => void} choose
 * @property {(cell: Cell | null) => void} point what is under the mouse: query and key
 */

const MOST_HEADS_KEPT = 12; // unpacked at a time
const LONGEST_WAIT = 10_000; // milliseconds, for a kernel that does not answer

/** @type {(bytes: DataView<ArrayBuffer>) => Promise<ArrayBuffer>} */
export async function inflate(bytes) {
  const packed = /** @type {ReadableStream} */ (new Response(bytes).body); // of a Blob, the browser's other processes would have to hear first
  return new Response(packed.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

// As pack_head in arrays.py says: the largest of each row, its sum, then shares of the largest.
/** @type {(buffer: ArrayBuffer, nQuery: number, nKey: number, bits: 8 | 16) => Head} */
function unpackHead(buffer, nQuery, nKey, bits) {
  const largest = new Float32Array(buffer, 0, nQuery);
  const sums = new Float32Array(buffer, 4 * nQuery, nQuery);
  const codes = new (bits === 8 ? Uint8Array : Uint16Array)(buffer, 8 * nQuery);
  const most = 2 ** bits - 1;
  const values = new Float64Array(nQuery * nKey);
  for (let query = 0, i = 0; query < nQuery; query += 1) {
    for (let key = 0; key < nKey; key += 1, i += 1) values[i] = (largest[query] * codes[i]) / most;
  }
  return { values, sums };
}

// The mean or the largest of several heads, cell by cell.
/** @type {(heads: Head[], how: "mean" | "max") => Head} */
function combineHeads(heads, how) {
  const values = heads[0].values.slice();
  for (const { values: others } of heads.slice(1)) {
    for (let i = 0; i < values.length; i += 1) {
      values[i] = how === "mean" ? values[i] + others[i] : Math.max(values[i], others[i]);
    }
  }
  if (how === "mean") for (let i = 0; i < values.length; i += 1) values[i] /= heads.length;
  return { values, sums: null };
}

// The weight that is shown in full colour: the largest, but at least twice what each key would get if all got the same.
// So a uniform head is pale.
/** @type {(largest: number, nKey: number) => number} */
function fullColour(largest, nKey) {
  return Math.max(largest, Math.min(2 / nKey, 1));
}

// Shares of full colour, which is that of the largest weight of the "head", of its "row", or "one". Below the threshold
// they are 0; NaN is a later token, where the triangle hides it: of blocks, where all its tokens are later.
/**
 * @type {(values: Numbers, shape: Shape, now: { state: Pick<State, "threshold" | "triangle" | "scale">, ahead: number,
 *   data: Pick<Data, "shape"> }) => { shares: Float32Array, full: number }}
 */
export function visibleShares(values, { nRows, nColumns }, { state: { threshold, triangle, scale }, data, ahead }) {
  const [, , nQuery, nKey] = data.shape;
  const shares = new Float32Array(values.length);
  const full = scale === "one" ? 1 : fullColour(largestOf(values, 0, values.length), nKey);
  for (let row = 0; row < nRows; row += 1) {
    const [start, end] = [row * nColumns, (row + 1) * nColumns];
    const top = scale === "row" ? fullColour(largestOf(values, start, end), nKey) : full;
    for (let i = start; i < end; i += 1) shares[i] = values[i] >= threshold ? values[i] / top : 0;
    const nSeen = ahead + Math.floor(((row + 1) * nQuery) / nRows); // keys, by the last query of the row
    if (triangle) shares.fill(Number.NaN, start + Math.min(Math.ceil((nSeen * nColumns) / nKey), nColumns), end);
  }
  return { shares, full };
}

// The small picture of a head, as weights.
/** @type {(now: Pick<Now, "data" | "thumbnails">, layer: number, head: number) => Float64Array} */
export function pictureOfHead({ data, thumbnails }, layer, head) {
  const { rows, columns, largest } = data.thumbnails;
  const first = (layer * data.shape[1] + head) * rows * columns;
  const scale = largest[layer][head] / 255;
  return Float64Array.from(
    (thumbnails ?? new Uint8Array()).subarray(first, first + rows * columns),
    (code) => code * scale,
  );
}

// The key to which a query gives the most.
/** @type {(now: Pick<Now, "data" | "head">, query: number) => number} */
export function strongestKey({ data, head }, query) {
  const nKey = data.shape[3];
  const row = head?.values.subarray(query * nKey, (query + 1) * nKey);
  return row ? row.indexOf(largestOf(row, 0, nKey)) : 0;
}

/** @type {(values: Numbers, start: number, end: number) => number} */
function largestOf(values, start, end) {
  let largest = 0;
  for (let i = start; i < end; i += 1) if (values[i] > largest) largest = values[i];
  return largest;
}

// A matrix of blocks of the cells in `view`, the largest of each: a thin diagonal stays. NaN where a block has no number.
/** @type {(table: Table, view: View, shape: Shape) => Table} */
export function largestOfBlocks({ values, nColumns: nKey }, view, { nRows, nColumns }) {
  const blocks = new Float32Array(nRows * nColumns).fill(Number.NaN);
  const blockOf = (/** @type {number} */ cell, /** @type {number} */ n, /** @type {number} */ nBlocks) =>
    Math.floor(((cell + 1) * nBlocks - 1) / n); // block b starts at cell ⌊b n/nBlocks⌋
  const columns = Int32Array.from({ length: view.nColumns }, (_, column) => blockOf(column, view.nColumns, nColumns));
  for (let row = 0; row < view.nRows; row += 1) {
    const start = blockOf(row, view.nRows, nRows) * nColumns;
    const cells = (view.row + row) * nKey + view.column;
    for (let column = 0; column < view.nColumns; column += 1) {
      const i = start + columns[column];
      const x = values[cells + column];
      if (!(blocks[i] >= x) && !Number.isNaN(x)) blocks[i] = x;
    }
  }
  return { values: blocks, nRows, nColumns };
}

// The indices of the `count` largest shares above 0, or a few less: found by counting, not by sorting.
/** @type {(shares: Float32Array, count: number) => number[]} */
export function strongest(shares, count) {
  const bins = new Uint32Array(1025);
  for (const share of shares) if (share > 0) bins[Math.ceil(Math.min(share, 1) * 1024)] += 1;
  let [lowest, total] = [1025, 0];
  while (lowest > 1 && (total + bins[lowest - 1] <= count || total === 0)) {
    lowest -= 1;
    total += bins[lowest];
  }
  const indices = [];
  for (let i = 0; i < shares.length && indices.length < count; i += 1) {
    if (shares[i] > 0 && Math.ceil(Math.min(shares[i], 1) * 1024) >= lowest) indices.push(i);
  }
  return indices;
}

// Heads by layer and name ("5", "mean", "max"). `get` returns { head, is }: is "here", "unpacking", "asked" of the
// kernel, or "missing" on this page; onArrival is called when that changes.
/** @param {{ model: Context<State, { data: Data }>["model"], hasKernel: boolean, onArrival: () => void }} options */
export function headStore({ model, hasKernel, onArrival }) {
  const { shape, bits, heads: packed } = model.get("data");
  const [, nHeads, nQuery, nKey] = shape;
  /** @type {Map<string, Head>} */
  const ready = new Map(); // in the order in which they were last used
  /** @type {Map<string, "unpacking" | "asked" | "missing">} */
  const waiting = new Map();

  const unpack = async (/** @type {DataView<ArrayBuffer>} */ bytes) =>
    unpackHead(await inflate(bytes), nQuery, nKey, bits);
  /** @type {(id: string) => void} */
  function miss(id) {
    waiting.set(id, "missing");
    onArrival();
  }
  /** @type {(id: string, coming: Promise<Head>) => void} */
  const arrive = (id, coming) =>
    void coming.then(
      (head) => {
        waiting.delete(id);
        ready.set(id, head);
        if (ready.size > MOST_HEADS_KEPT) ready.delete([...ready.keys()][0]);
        onArrival();
      },
      () => miss(id), // what cannot be unpacked
    );

  /** @type {(layer: number, name: string) => void} */
  function start(layer, name) {
    const id = `${layer}/${name}`;
    const all = Array.from({ length: nHeads }, (_, head) => packed[`${layer}/${head}`]);
    const isCombined = name === "mean" || name === "max";
    waiting.set(id, "unpacking");
    if (packed[id]) arrive(id, unpack(packed[id]));
    else if (isCombined && all.every(Boolean)) {
      arrive(
        id,
        Promise.all(all.map(unpack)).then((heads) => combineHeads(heads, name)),
      );
    } else if (hasKernel) {
      waiting.set(id, "asked");
      model.send({ heads: [id] });
      setTimeout(() => waiting.get(id) === "asked" && miss(id), LONGEST_WAIT);
    } else waiting.set(id, "missing");
  }

  /** @type {(layer: number, name: string) => { head: Head | null, is: "here" | "unpacking" | "asked" | "missing" }} */
  function get(layer, name) {
    const id = `${layer}/${name}`;
    const head = ready.get(id);
    if (head) {
      ready.delete(id);
      ready.set(id, head);
      return { head, is: "here" };
    }
    if (!waiting.has(id)) start(layer, name);
    return { head: null, is: waiting.get(id) ?? "missing" };
  }

  /** @type {(content?: { head?: string }, buffers?: DataView<ArrayBuffer>[]) => void} */
  function receive(content, buffers) {
    if (content?.head && waiting.has(content.head) && buffers?.length) arrive(content.head, unpack(buffers[0]));
  }
  model.on("msg:custom", receive);
  return { get, close: () => model.off("msg:custom", receive) };
}
