// What the reader presses and moves, as templates: native inputs with their labels. Each shows the value that it is given.

import { uniqueId } from "./elements.js";
import { html, live, nothing, ref } from "./vendor/lit.js";

/** @type {(event: Event) => HTMLInputElement} */
const from = ({ target }) => /** @type {HTMLInputElement} */ (target);

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

// A slider and, for exact values, a number box.
/** @type {(options: { label: string, value: number, low: number, high: number, step?: number, onInput: (value: number) => void }) => unknown} */
export const slider = ({ label, value, low, high, step = 0.01, onInput }) => html`<div class="inorder-slider">
  <span class="inorder-slider-name" aria-hidden="true">${label}</span>
  <input type="range" step=${step} min=${Math.min(low, Math.floor(value))} max=${Math.max(high, Math.ceil(value))}
    aria-label=${label} .value=${live(String(value))}
    @input=${(/** @type {Event} */ event) => onInput(from(event).valueAsNumber)}>
  ${numberBox({ label: `${label}, as a number`, value, onInput })}
</div>`;

/** @type {(options: { label: unknown, value: boolean, onInput: (on: boolean) => void }) => unknown} */
export const toggle = ({ label, value, onInput }) => html`<label class="inorder-toggle is-ink">
  <input type="checkbox" role="switch" .checked=${live(value)}
    @change=${(/** @type {Event} */ event) => onInput(from(event).checked)}><span>${label}</span></label>`;

// A choice among a few options, [value, text, name] each: all in sight.
export function radios() {
  const group = uniqueId("radios");
  /** @type {<Value extends string>(options: { label: string, value: string, options: [Value, unknown, string?][], onInput: (value: Value) => void }) => unknown} */
  return ({ label, value, options, onInput }) => html`<fieldset class="inorder-radios"><legend>${label}</legend>
    ${options.map(
      ([one, text, name]) => html`<label><input type="radio" name=${group} value=${one} aria-label=${name ?? nothing}
        .checked=${live(one === value)} @change=${() => onInput(one)}><span>${text}</span></label>`,
    )}</fieldset>`;
}

// A table whose columns are named, and which may scroll sideways: [name, cells] a row.
/** @type {(label: string, heads: unknown[], rows: [unknown, unknown[]][]) => unknown} */
export const numbersTable = (label, heads, rows) => html`<div class="inorder-numbers" tabindex="0" role="region"
  aria-label=${label}><table>
  <thead><tr><td></td>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
  <tbody>${rows.map(([name, cells]) => html`<tr><th scope="row">${name}</th>${cells}</tr>`)}</tbody>
</table></div>`;
