// Two prompts made of the same tokens: who asks, what the last query finds in each layer, which token comes next.

import { moveWithin, ROUNDING } from "../kit/arithmetic.js";
import { answersOfPython } from "../kit/in_python.js";
import { numberSelect, radios, select } from "../kit/inputs.js";
import { kept } from "../kit/kept.js";
import { figureShell } from "../kit/shell.js";
import { html, nothing, render } from "../kit/vendor/lit.js";
import { formatDifference, formatNumber } from "../kit/words.js";
import { layerPanel } from "./layer.js";
import { promptRows } from "./prompts.js";
import { calculate, lastOf, PROMPTS, readPrompt } from "./reading.js";
import { layerWords, summarise, verdict } from "./words.js";

/** @typedef {import("./reading.js").Computed} Computed */
/** @typedef {import("./reading.js").Decoded} Decoded */
/** @typedef {import("./reading.js").Given & { in_python: { asked: unknown[], read: Decoded[] } }} Sent */
/** @typedef {PromptOrderLabState} State */

const MOST_SHOWN = 8; // tokens of a larger vocabulary that get bars: the most likely ones
const MOST_RADIOS = 6; // layers: of more, one is chosen from a list

// Where do the prompts diverge? A row of = and ≠: whose query, each layer, the next token. A layer's sign opens it.
/** @type {(computed: Computed, opened: number | null, onOpen: (layer: number) => void) => unknown} */
function signs({ read, layers, distance }, opened, onOpen) {
  const sign = (/** @type {boolean} */ differs) =>
    html`<span class="inorder-sign ${differs ? "is-different" : ""}" aria-hidden="true">${differs ? "≠" : "="}</span>`;
  const inWords = (/** @type {boolean} */ differs) => (differs ? "different" : "the same");
  const asks = lastOf(read[0].prompt) !== lastOf(read[1].prompt);
  const tells = distance > ROUNDING;
  return html`<div class="inorder-lab-parting"><p aria-hidden="true">Where do they diverge?</p>
    <div class="inorder-lab-signs" role="group" aria-label="Where do they diverge?">
      <span class="inorder-lab-station" role="img" aria-label="Whose query: ${inWords(asks)}">${sign(asks)}<span>whose query</span></span>
      ${layers.map(({ differing, change }, layer) => {
        const differs = differing.length > 0;
        return html`<button type="button" class="inorder-lab-station" aria-pressed=${layer === opened}
          aria-label="Layer ${layer}: ${inWords(differs)}; show it in full" title="largest difference ${formatDifference(change)}"
          data-name="changes" data-row=${layer} data-col="0" data-value=${change}
          @click=${() => onOpen(layer)}>${sign(differs)}<span>layer ${layer}</span></button>`;
      })}
      <span class="inorder-lab-station" role="img" aria-label="Next token: ${inWords(tells)}" data-name="distance" data-row="0"
        data-col="0" data-value=${distance} title="total variation distance ${formatDifference(distance)}">${sign(tells)}<span>next token</span></span>
    </div></div>`;
}

// The two distributions of the next token: for each token a filled bar, after the first prompt, and an outlined one.
/** @type {(vocabulary: string[], computed: Computed) => unknown} */
function bars(vocabulary, { read, generated }) {
  const likeliest = (/** @type {number} */ row) => Math.max(...read.map(({ probabilities }) => probabilities[row]));
  const rows = [...vocabulary.keys()]
    .sort((a, b) => likeliest(b) - likeliest(a))
    .slice(0, MOST_SHOWN)
    .sort((a, b) => a - b);
  const longest = Math.max(...rows.map(likeliest));
  const rest = rows.length < vocabulary.length ? `, the ${rows.length} likeliest of ${vocabulary.length}` : "";
  const swatches = PROMPTS.map((which) => html`<i class="is-${which}"></i>${which}`);
  /** @type {(row: number) => unknown} */
  function pair(row) {
    const shares = read.map(({ probabilities }) => probabilities[row]);
    const [first, second] = shares.map((share) => formatNumber(share));
    return html`<div class="inorder-lab-pair" role="img"
      aria-label="“${vocabulary[row]}”: ${first} after the first, ${second} after the second">
      <span class="inorder-lab-token" title=${vocabulary[row]}>${vocabulary[row]}</span>
      ${shares.map(
        (share, prompt) => html`<span class=${row === generated[prompt] ? "is-written" : ""} data-name="distributions"
          data-row=${prompt} data-col=${row} data-value=${share}>${formatNumber(share)}</span>
          <i class="is-${PROMPTS[prompt]}" style="--share: ${share / longest}"></i>`,
      )}</div>`;
  }
  return html`<div class="inorder-lab-bars" role="group" aria-label="The next token after each prompt${rest}"
    style="--letters: ${Math.max(...rows.map((row) => [...vocabulary[row]].length))}">
    <p aria-hidden="true">Next token${rest}: ${swatches} prompt</p>${rows.map(pair)}</div>`;
}

/** @type {(context: Context<State, Sent>) => () => void} */
function view({ model, el, page }) {
  const given = {
    transformer: model.get("transformer"),
    tokens: model.get("tokens"),
    vocabulary: model.get("vocabulary"),
    sentences: model.get("sentences"),
  };
  const { transformer, tokens, vocabulary, sentences } = given;
  const { config, schemes } = transformer;
  const agree = (/** @type {State} */ { first_order, second_order }) =>
    first_order.length === tokens.length && second_order.length === tokens.length;
  const shell = figureShell({ model, el, page, agree });
  const { limits, change, notify } = shell;
  // A prompt stays as it is while the reader moves the other one.
  const readers = PROMPTS.map(() =>
    kept(
      (
        /** @type {number[]} */ order,
        /** @type {import("./reading.js").Settings} */ settings,
        /** @type {Decoded | undefined} */ decoded,
      ) => readPrompt(order, settings, given, decoded),
    ),
  );
  const python = answersOfPython({ newest: () => model.get("in_python"), page, notify, schemes });
  const ordersNow = () => PROMPTS.map((which) => shell.state()[`${which}_order`]);
  const rows = promptRows({
    ordersNow,
    onMove: (prompt, from, to) => change({ [`${PROMPTS[prompt]}_order`]: moveWithin(ordersNow()[prompt], from, to) }),
  });

  const layerFold = shell.fold("");
  const settingsFold = shell.fold("Positions, heads");
  let opened = 0; // the layer in the fold: where the prompts diverge, until the sign of another one is pressed
  /** @type {(layer: number) => void} */
  function openLayer(layer) {
    layerFold.open = !(layerFold.open && layer === opened);
    opened = layer;
    redraw();
  }

  const [depthRadios, maskRadios] = [radios(), radios()];
  const masks = /** @type {[State["mask"], string][]} */ (limits.mask.options.map((name) => [name, name]));
  const depths = Array.from({ length: limits.depth.high }, (_, i) => String(i + 1));
  /** @type {(state: State) => unknown} */
  const controls = ({ depth, mask, n_prefix }) => html`
    ${
      limits.depth.high > MOST_RADIOS
        ? numberSelect({ label: "Layers", value: depth, ...limits.depth, onInput: (n) => change({ depth: n }) })
        : depthRadios({
            label: "Layers",
            value: String(depth),
            options: depths.map((n) => [n, n]),
            onInput: (n) => change({ depth: Number(n) }),
          })
    }
    <span class="inorder-lab-together">
      ${maskRadios({ label: "Mask", value: mask, options: masks, onInput: (name) => change({ mask: name }) })}
      ${
        mask === "prefix"
          ? numberSelect({
              label: "Prefix length",
              value: n_prefix,
              ...limits.n_prefix,
              onInput: (n) => change({ n_prefix: n }),
            })
          : nothing
      }</span>`;

  /** @type {(state: State) => unknown} */
  const settings = ({ position, head }) => html`<div class="inorder-lab-settings">
    ${select({
      label: "Positions",
      value: position,
      options: limits.position.options.map((name) => [name, schemes[name].label]),
      onInput: (name) => change({ position: name }),
    })}
    ${
      config.n_heads > 1
        ? numberSelect({ label: "Head shown", value: head, ...limits.head, onInput: (n) => change({ head: n }) })
        : nothing
    }</div>`;

  const redraw = shell.follow(
    (state) => {
      const [heading, body] = /** @type {any} */ (layerFold.children);
      render(controls(state), shell.controls);
      render(settings(state), /** @type {any} */ (settingsFold.lastElementChild));
      const { position, mask, n_prefix, depth } = state;
      const orders = ordersNow();
      const answer = python.answer(position, [...orders, position, mask, n_prefix, depth]);
      if (answer === undefined) return;
      const all = calculate(
        readers.map((read, prompt) => read(orders[prompt], { depth, mask, n_prefix, position }, answer?.read[prompt])),
      );
      if (!layerFold.open || opened >= depth) opened = all.parted < 0 ? depth - 1 : all.parted;
      const prompts = all.read.map(({ prompt }) => prompt);
      const next = all.generated.map((row) => vocabulary[row]);
      const left = html`${rows.view(orders, prompts, next, position !== "none")}
        ${signs(all, layerFold.open ? opened : null, openLayer)}`;
      render(html`<div style="--n: ${tokens.length}">${left}</div>${bars(vocabulary, all)}`, shell.stage);
      const layerName = html`<strong>Layer ${opened}</strong> <span class="inorder-lab-words">${layerWords(sentences, all, opened)}</span>
        <span class="inorder-lab-change">largest difference ${formatDifference(all.layers[opened].change)}</span>`;
      render(layerFold.open ? layerName : "Press a layer’s sign to see it in full", heading);
      render(layerFold.open ? layerPanel(all, opened, state.head) : nothing, body);
      shell.answer(summarise(state, all, given), {
        sign: all.distance > ROUNDING ? "≠" : "=",
        note: verdict(sentences, all),
      });
    },
    ["in_python"],
  );
  shell.whenClosed(rows.stop);
  shell.whenClosed(python.close);
  return shell.close;
}

export default { render: view };
