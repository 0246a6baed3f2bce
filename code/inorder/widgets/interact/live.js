// A figure of marks whose states the page itself computes: what it shows is a function of its state, here as in Python.

import { moveWithin } from "../kit/arithmetic.js";
import { figureShell } from "../kit/shell.js";
import { render } from "../kit/vendor/lit.js";
import { between } from "./glide.js";
import { handlesOver } from "./handles.js";
import { panelsIn } from "./panels.js";
import { readerOver } from "./reader.js";
import { placeOf } from "./states.js";

/** @typedef {{ panels: object[], answer: { words: string, sign?: Sign, note?: string } }} Shown a picture with the note below its answer */

/**
 * controls, folds: what stands above the picture, and in folds below it, as templates; axes: what a handle sets, with the
 * states between which it goes; move: takes a point, the row of that matrix of the state, anywhere; others: further traits
 * whose change draws anew. panelAt: a panel alone, where the whole picture of every state would take too long; settle:
 * what else changes with what a hand has set; view: what moves the part of a heat map in view.
 * @typedef {{ picture: (state: any) => Shown, controls: (state: any) => unknown,
 *   folds?: [label: string, content: (state: any) => unknown][], axes?: (state: any) => Control[],
 *   move?: Hand["move"], others?: string[],
 *   panelAt?: (state: any, place: number) => object, settle?: (state: any) => object,
 *   view?: import("./handles.js").MovesView }} Parts
 */

/**
 * @typedef {{ agree?: (state: any, model: FigureModel<any, any>) => boolean, make: (shell: Shell<any, any>) => Parts }} Live
 */

/** @type {(live: Live, context: Context<any, any>) => () => void} */
export function liveFigure(live, { model, el, page }) {
  const agree = (/** @type {any} */ state) => live.agree?.(state, model) ?? true;
  const shell = figureShell({ model, el, page, agree });
  const parts = live.make(shell);
  const { picture, controls, folds = [], axes = () => [], move, others, view, settle = (state) => state } = parts;
  const panelAt = parts.panelAt ?? ((state, place) => picture(state).panels[place]);
  const bodies = folds.map(([label]) => /** @type {HTMLElement} */ (shell.fold(label).lastChild));

  /** @type {(state: any, places: number[]) => any} */
  const stateAt = (state, places) =>
    Object.assign({ ...state }, ...axes(state).map(({ name, keys }, i) => ({ [name]: keys[places[i]] })));

  /** @type {(place: number) => Hand} */
  const handOf = (place) => ({
    readerOver,
    handlesOver,
    move,
    between,
    get controls() {
      return axes(shell.state());
    },
    places: () => axes(shell.state()).map((axis) => placeOf(axis, shell.state()[axis.name])),
    view,
    panelAt: (places) => /** @type {any} */ (panelAt(stateAt(shell.state(), places), place)),
    statesOf([name]) {
      const now = this.places();
      const at = this.controls.findIndex((axis) => axis.name === name);
      return this.controls[at].keys.map((_, key) => now.with(at, key));
    },
    set(places) {
      if (String(places) !== String(this.places())) shell.change(settle(stateAt(shell.state(), places)));
    },
    orders: ([name]) => ({
      isLoose: () => true,
      move(word, to) {
        const order = shell.state()[name];
        shell.change({ [name]: moveWithin(order, order.indexOf(word), to) });
      },
    }),
  });
  const kinds = picture(shell.state()).panels.map((panel) => Reflect.get(panel, "kind"));
  const drawn = panelsIn(shell.stage, kinds, handOf);

  shell.follow((state, dark, width) => {
    const { panels, answer } = picture(state);
    render(controls(state), shell.controls);
    folds.forEach(([, content], i) => {
      if (/** @type {HTMLDetailsElement} */ (bodies[i].parentElement).open) render(content(state), bodies[i]);
    });
    drawn.draw(/** @type {any} */ (panels), dark, width);
    shell.answer(answer.words, answer);
  }, others);
  shell.whenClosed(drawn.stop);
  return shell.close;
}
