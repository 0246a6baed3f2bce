// One head as lines from query tokens to key tokens. `now` and `actions` are as in data.js.

import { clamp } from "../kit/arithmetic.js";
import { sequentialColour } from "../kit/colour.js";
import { make } from "../kit/elements.js";
import { kept } from "../kit/kept.js";
import { html, nothing, render, svg } from "../kit/vendor/lit.js";
import { strongest, strongestKey } from "./data.js";

/** @typedef {{ query?: number, key?: number }} At one of both */

const LINE = 1.467; // em, from one token to the next
const MOST_LINES = 4000; // in the background: the strongest
const MOST_TOKENS = 20; // in sight
const STRENGTHS = 8;

// Lines of about the same strength are one path: eight paths, not thousands.
/** @type {(shares: Float32Array, lineOf: (index: number) => string) => { paths: string[], crowd: number }} */
function backgroundOf(shares, lineOf) {
  const indices = strongest(shares, MOST_LINES);
  const paths = Array.from({ length: STRENGTHS }, () => "");
  for (const i of indices) paths[clamp(Math.ceil(shares[i] * STRENGTHS) - 1, 0, STRENGTHS - 1)] += lineOf(i);
  return { paths, crowd: Math.min(1, 12 / Math.sqrt(indices.length)) }; // the more there are, the fainter
}

/** @type {(actions: import("./data.js").Actions) => { root: HTMLElement, draw: (now: import("./data.js").Now) => void }} */
export function linesView(actions) {
  const scroller = make("div", {
    class: "inorder-scroller",
    role: "application",
    tabindex: 0,
    "aria-roledescription": "lines from queries to keys",
    "aria-label": "Lines from query tokens to key tokens: up and down choose a query, left and right a key",
  });
  const [above, below] = ["above", "below"].map((side) =>
    make("span", { class: `inorder-more is-${side}`, "aria-hidden": "true" }),
  );
  const root = make("div", { class: "inorder-lines-view" }, scroller, above, below);
  let now = /** @type {import("./data.js").Now} */ ({});
  /** @type {At | null} */
  let pointed = null; // under the mouse
  let size = { width: 0, height: 0, label: 0, line: 22 };
  let scrolledTo = -1; // the query

  /** @type {(place: number) => number} */
  const yOf = (place) => (place + 0.5) * size.line;
  /** @type {(index: number) => string} */
  const lineOf = (index) => {
    const [query, key] = [Math.floor(index / now.data.shape[3]), index % now.data.shape[3]];
    return `M${size.label} ${yOf(query + now.ahead)}L${size.width - size.label} ${yOf(key)}`; // a query stands beside its own key
  };
  const background = kept((/** @type {Float32Array} */ shares, /** @type {typeof size} */ _) =>
    backgroundOf(shares, lineOf),
  );

  /** @type {(event: MouseEvent) => At | null} */
  function tokenAt(event) {
    const { left, top } = scroller.getBoundingClientRect();
    const place = Math.floor((event.clientY - top + scroller.scrollTop) / size.line);
    const [, , nQuery, nKey] = now.data.shape;
    if (event.clientX - left >= size.width / 2) return place < nKey ? { key: place } : null;
    const query = place - now.ahead;
    return query >= 0 && query < nQuery ? { query } : null;
  }

  /** @type {(at: At | null) => void} */
  function point(at) {
    if (at?.query === pointed?.query && at?.key === pointed?.key) return;
    pointed = at;
    paint();
    if (!at) actions.point(null);
    else if (at.query !== undefined) actions.point({ row: at.query, column: strongestKey(now, at.query) });
    else actions.point({ row: now.state.query, column: at.key ?? 0 });
  }

  scroller.addEventListener("pointermove", (event) => event.pointerType === "mouse" && point(tokenAt(event)));
  scroller.addEventListener("pointerleave", () => point(null));
  scroller.addEventListener("click", (event) => {
    const at = tokenAt(event);
    if (at?.query !== undefined) actions.choose({ query: at.query, key: strongestKey(now, at.query) });
    else if (at?.key !== undefined) actions.choose({ key: at.key });
  });
  scroller.addEventListener("scroll", () => now.state && paint());
  scroller.addEventListener("keydown", (event) => {
    const [, , nQuery, nKey] = now.data.shape;
    const { query, key } = now.state;
    /** @type {Record<string, number>} */
    const queries = {
      ArrowUp: query - 1,
      ArrowDown: query + 1,
      PageUp: query - 10,
      PageDown: query + 10,
      Home: 0,
      End: nQuery - 1,
    };
    /** @type {Record<string, number>} */
    const keys = { ArrowLeft: key - 1, ArrowRight: key + 1 };
    if (!Object.hasOwn(queries, event.key) && !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    if (Object.hasOwn(keys, event.key)) return actions.choose({ key: clamp(keys[event.key], 0, nKey - 1) });
    const to = clamp(queries[event.key], 0, nQuery - 1);
    actions.choose({ query: to, key: strongestKey(now, to) });
  });

  function paint() {
    const { state, shares, data, ahead, em } = now;
    const [, , nQuery, nKey] = data.shape;
    const chosen = pointed ?? { query: state.query };
    const { width, height, label, line } = size;
    const n = Math.max(nKey, nQuery + ahead);
    const { scrollTop } = scroller;
    const [first, last] = [Math.floor(scrollTop / line), Math.min(Math.ceil((scrollTop + height) / line), n)];
    const { paths, crowd } = shares ? background(shares, size) : { paths: [], crowd: 1 };
    /** @type {number[]} */
    const indices =
      chosen.query === undefined
        ? Array.from({ length: nQuery }, (_, query) => query * nKey + (chosen.key ?? 0))
        : Array.from({ length: nKey }, (_, key) => (chosen.query ?? 0) * nKey + key);
    const strong = shares ? indices.filter((i) => shares[i] > 0) : [];

    /** @type {(index: number, isKey: boolean) => unknown} */
    function token(index, isKey) {
      const isChosen = isKey ? index === (chosen.key ?? state.key) : index === chosen.query;
      const isOther = isKey ? chosen.query !== undefined : chosen.key !== undefined;
      const share =
        shares && isOther ? shares[isKey ? (chosen.query ?? 0) * nKey + index : index * nKey + (chosen.key ?? 0)] : 0;
      const tint = share > 0 ? sequentialColour(share, now.dark) : { fill: "", ink: "" };
      const isOdd = !isKey && now.head?.sums && Math.abs(now.head.sums[index] - 1) > data.tolerance;
      const top = (isKey ? index : index + ahead) * line;
      const text = isKey ? now.keyTokens[index] : now.tokens[index];
      return html`<span class="inorder-token is-${isKey ? "key" : "query"} ${isChosen ? "is-chosen" : ""}"
        style="top: ${top}px; background: ${tint.fill}; color: ${tint.ink}">${isOdd ? "≠1 " : ""}<bdi>${text}</bdi></span>`;
    }
    const tokens = [];
    for (let place = Math.max(first, 0); place < last; place += 1) {
      if (place >= ahead && place - ahead < nQuery) tokens.push(token(place - ahead, false));
      if (place < nKey) tokens.push(token(place, true));
    }
    const r = 0.33 * em;
    const [x, y] = [label, yOf((chosen.query ?? 0) + ahead)];
    render(
      html`<div style="height: ${n * line}px; --label: ${label - 4}px; --line: ${line}px"><svg width=${width} height=${n * line} aria-hidden="true">
        ${paths.map((d, i) => svg`<path class="inorder-faint" d=${d} opacity=${(0.06 + (0.44 * (i + 0.5)) / STRENGTHS) * crowd}/>`)}
        ${strong.map((i) => {
          const share = shares?.[i] ?? 0;
          return svg`<path class="inorder-strong" d=${lineOf(i)} opacity=${0.25 + 0.75 * share} stroke-width=${1 + 2.5 * share}/>`;
        })}
        ${chosen.query === undefined ? nothing : svg`<path class="is-query" d="M${x - r} ${y}l${r} ${-r}l${r} ${r}l${-r} ${r}z"/>`}
        ${chosen.key === undefined ? nothing : svg`<circle class="is-key" cx=${width - label} cy=${yOf(chosen.key)} r=${r}/>`}
      </svg>${tokens}</div>`,
      scroller,
    );
    const nBelow = n - Math.round((scrollTop + height) / line);
    below.textContent = nBelow > 0 ? `↓ ${nBelow} more` : "";
    const nAbove = Math.round(scrollTop / line);
    above.textContent = nAbove > 0 ? `↑ ${nAbove} more` : "";
  }

  /** @type {(next: import("./data.js").Now) => void} */
  function draw(next) {
    now = next;
    const { em, data, ahead, state } = now;
    const line = Math.round(LINE * em);
    const width = root.clientWidth;
    const n = Math.max(data.shape[3], data.shape[2] + ahead);
    const height = Math.min(n, MOST_TOKENS) * line;
    size = { width, height, label: Math.round(Math.min(10 * em, width * 0.33)), line };
    Object.assign(scroller.style, { width: `${width}px`, height: `${height}px` });
    paint();
    if (scrolledTo === state.query) return;
    scrolledTo = state.query;
    const y = (state.query + ahead) * line;
    if (y < scroller.scrollTop || y + line > scroller.scrollTop + height) scroller.scrollTop = y - height / 2; // and it paints
  }
  return { root, draw };
}
