// What the reader presses and moves, as templates: native inputs with their labels. Each shows the value that it is given.

import { uniqueId } from "./elements.js";
import { BREAKS, fits } from "./limits.js";
import { html, live, nothing, ref } from "./vendor/lit.js";

/** @type {(event: Event) => HTMLInputElement} */
const from = ({ target }) => /** @type {HTMLInputElement} */ (target);

// `text`: what the button shows, where that is shorter than its name. One that is disabled does nothing, and keeps the
// focus.
/** @type {(options: { label: string, text?: unknown, isDisabled?: boolean, onClick: (event: Event) => void }) => unknown} */
export const button = ({ label, text = label, isDisabled = false, onClick }) => html`<button
  type="button" class="inorder-button" aria-label=${label} aria-disabled=${isDisabled || nothing}
  @click=${isDisabled ? nothing : onClick}>${text}</button>`;

// A number box, which keeps what is being typed ("1.") as long as it means the value; `shown` is what it shows.
/** @type {(options: { label: string, value: number, low?: number, high?: number, shown?: string, hint?: string, onInput: (value: number) => void }) => unknown} */
export const numberBox = ({ label, value, low, high, shown = String(value), hint = "", onInput }) => html`<input
  type="number" step="any" min=${low ?? nothing} max=${high ?? nothing} aria-label=${label} placeholder=${hint}
  aria-invalid="false"
  ${ref((box) => {
    if (!(box instanceof HTMLInputElement)) return;
    if (shown === "" || box.valueAsNumber !== value) box.value = shown;
    box.ariaInvalid = "false";
  })}
  @input=${(/** @type {Event} */ event) => {
    const box = from(event);
    if (box.value !== "" && box.validity.valid) onInput(box.valueAsNumber);
    box.ariaInvalid = String(box.value !== "" && box.valueAsNumber !== value);
  }}
  @change=${(/** @type {Event} */ event) => {
    from(event).value = shown;
  }}>`;

// A slider and, for exact values, a number box, or `beside` in its place. `scale: "log"`: equal distances are equal
// factors. `text`: what a screen reader hears for the value; `ends`: what the two ends mean; `actor`: whose colour it has,
// as "position".
/** @type {(options: { label: string, value: number, low: number, high: number, step?: number, scale?: "linear" | "log", text?: string, ends?: string[], beside?: unknown, actor?: string, onInput: (value: number) => void }) => unknown} */
export function slider({
  label,
  value,
  low,
  high,
  step = 0.01,
  scale = "linear",
  text,
  ends = [],
  beside,
  actor = "ink",
  onInput,
}) {
  const isLog = scale === "log";
  const toRange = (/** @type {number} */ x) => (isLog ? Math.log10(x) : x);
  const fromRange = (/** @type {number} */ x) => (isLog ? Number((10 ** x).toPrecision(3)) : x);
  const now = toRange(value);
  // Python may set a value outside the ends.
  const least = now < toRange(low) ? Math.floor(now) : toRange(low);
  const most = now > toRange(high) ? Math.ceil(now) : toRange(high);
  const name = `${label}, as a number`;
  return html`<div class="inorder-slider is-${actor}">
  <span class="inorder-slider-name" aria-hidden="true">${label}</span>
  <input type="range" step=${isLog ? "any" : step} min=${least} max=${most} aria-label=${label}
    style="--at: ${(100 * (now - least)) / (most - least)}%" aria-valuetext=${text ?? (isLog ? value : nothing)}
    .value=${live(String(now))}
    @input=${(/** @type {Event} */ event) => onInput(fromRange(from(event).valueAsNumber))}>
  ${beside ?? numberBox({ label: name, value, onInput: (x) => (!isLog || x > 0) && onInput(x) })}
  ${ends.length ? html`<span class="inorder-ends" aria-hidden="true">${ends.map((end) => html`<span>${end}</span>`)}</span>` : nothing}
</div>`;
}

// A switch. `actor`: whose colour it takes when it is on, as "position".
/** @type {(options: { label: unknown, value: boolean, actor?: string, onInput: (on: boolean) => void }) => unknown} */
export const toggle = ({ label, value, actor = "ink", onInput }) => html`<label class="inorder-toggle is-${actor}">
  <input type="checkbox" role="switch" .checked=${live(value)}
    @change=${(/** @type {Event} */ event) => onInput(from(event).checked)}><span>${label}</span></label>`;

// A choice among a few options, [value, text, name, isDisabled] each: all in sight.
export function radios() {
  const group = uniqueId("radios");
  /** @type {<Value extends string>(options: { label: string, value: string, options: [Value, unknown, string?, boolean?][], onInput: (value: Value) => void }) => unknown} */
  return ({ label, value, options, onInput }) => html`<fieldset class="inorder-radios"><legend>${label}</legend>
    ${options.map(
      ([one, text, name, isDisabled = false]) => html`<label><input type="radio" name=${group} value=${one}
        aria-label=${name ?? nothing} ?disabled=${isDisabled} .checked=${live(one === value)}
        @change=${() => onInput(one)}><span>${text}</span></label>`,
    )}</fieldset>`;
}

// A choice among many options, [value, text] each; the options would else be part of its name. `name`: for a screen
// reader, where the label shows something else.
/** @type {<Value extends string>(options: { label: unknown, name?: string, value: string, options: [Value, unknown][], onInput: (value: Value) => void }) => unknown} */
export const select = ({ label, name, value, options, onInput }) => html`<label class="inorder-select">${label}
  <select aria-label=${name ?? (typeof label === "string" ? label : nothing)} @change=${(/** @type {Event} */ event) => onInput(options[/** @type {any} */ (event.target).selectedIndex][0])}>${options.map(
    ([one, text]) => html`<option value=${one} .selected=${live(one === value)}>${text}</option>`,
  )}</select></label>`;

// A choice among the whole numbers from low to high.
/** @type {(options: Ends & { label: string, value: number, onInput: (value: number) => void }) => unknown} */
export const numberSelect = ({ label, value, low, high, onInput }) =>
  select({
    label,
    value: String(value),
    options: Array.from({ length: high - low + 1 }, (_, i) => [String(low + i), String(low + i)]),
    onInput: (text) => onInput(Number(text)),
  });

// A box for the reader's own words, cut at their spaces. `claim` begins what is told of words that do not fit: "A text here
// has". `onInput` may return why it does not take them either.
/** @type {(options: { label: string, words: string[], limits: Limit, claim: string, notify: (text: string) => void, onInput: (words: string[]) => string | void }) => unknown} */
export function wordsBox({ label, words, limits, claim, notify, onInput }) {
  const { fewest, most, longest } = limits;
  const wordsIn = (/** @type {HTMLInputElement} */ box) => box.value.split(BREAKS).filter(Boolean);
  return html`<input type="text" aria-label=${label} autocomplete="off" autocapitalize="off" spellcheck="false" dir="auto"
    ${ref((box) => {
      const text = words.join(" ");
      const isShown = box instanceof HTMLInputElement && wordsIn(box).join(" ") !== text.split(BREAKS).join(" ");
      if (isShown) box.value = text; // a space stays while it is being typed
    })}
    @input=${(/** @type {Event} */ event) => {
      const typed = wordsIn(from(event));
      if (fits(limits, typed)) notify(onInput(typed) ?? "");
      else notify(`${claim} ${fewest} to ${most} words of up to ${longest} letters each.`);
    }}
    @change=${(/** @type {Event} */ event) => {
      from(event).value = words.join(" ");
      notify("");
    }}>`;
}

// A table whose columns are named: [name, cells] a row.
/** @type {(heads: unknown[], rows: [unknown, unknown[]][], caption?: string) => unknown} */
export const table = (heads, rows, caption) => html`<table>${caption ? html`<caption>${caption}</caption>` : nothing}
  <thead><tr><td></td>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
  <tbody>${rows.map(([name, cells]) => html`<tr><th scope="row">${name}</th>${cells}</tr>`)}</tbody>
</table>`;

// A box of tables, which may scroll sideways.
/** @type {(label: string, tables: unknown) => unknown} */
export const numbersBox = (label, tables) => html`<div class="inorder-numbers" tabindex="0" role="region"
  aria-label=${label}>${tables}</div>`;

/** @type {(label: string, heads: unknown[], rows: [unknown, unknown[]][]) => unknown} */
export const numbersTable = (label, heads, rows) => numbersBox(label, table(heads, rows));
