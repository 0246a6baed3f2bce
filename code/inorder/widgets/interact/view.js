// A figure of any Python function: its controls, and the marks of the state they name, computed in Python beforehand.

import { LIVE, MARKS, PARTS } from "../kit/marks.js";
import { figureShell } from "../kit/shell.js";
import { html, render as renderIn } from "../kit/vendor/lit.js";
import { between } from "./glide.js";
import { handlesOver, ordersBy } from "./handles.js";
import { liveFigure } from "./live.js";
import { panelsIn } from "./panels.js";
import { planeMark } from "./plane.js";
import { readerOver } from "./reader.js";
import { barsMark, tableMark } from "./rows.js";
import { settingOf, walk } from "./settings.js";
import { placeOf, readStates, stateNumber } from "./states.js";

/**
 * @typedef {{ controls: Control[], slots: { type: "words", table: unknown[] }[], numbers: DataView, live: string, walked: string, tree: { panels: { kind: { slot: number } }[] } }} Sent
 */

/** @typedef {Record<string, Key>} State */

MARKS.bars = { make: barsMark, narrowest: 240 };
MARKS.plane = { make: planeMark, narrowest: 270 };
MARKS.table = { make: tableMark, narrowest: 150 };

/** @type {(context: Context<State, Sent>) => () => void} */
function render({ model, el, page }) {
  const live = LIVE[model.get("live")];
  if (live) return liveFigure(live, /** @type {any} */ ({ model, el, page }));
  const controls = model.get("controls").map((control) => ({ ...control })); // a text box adds to them
  const checks = Object.fromEntries(
    controls.map(({ name, keys }) => [name, (/** @type {unknown} */ key) => keys.includes(/** @type {Key} */ (key))]),
  );
  const placesOf = (/** @type {State} */ state) => controls.map((control) => placeOf(control, state[control.name]));
  const agree = (/** @type {State} */ state) => placesOf(state).every((place) => place >= 0);
  const shell = figureShell({ model, el, page, checks, agree });
  /** @type {(nStates: number) => ReturnType<typeof readStates>} */
  const read = (nStates) => {
    const [tree, slots, numbers] = [model.get("tree"), model.get("slots"), model.get("numbers")];
    return readStates({ tree, slots, numbers, nStates });
  };
  const traits = /** @type {FigureModel<Record<string, unknown>>} */ (/** @type {unknown} */ (model));
  const { stage, notify } = shell;
  const asking = PARTS.asking?.({ model: traits, page, controls, read, stage, notify });
  const pictureOf = asking ? null : read(controls.reduce((product, { keys }) => product * keys.length, 1));
  /** @type {(places: number[]) => Picture | undefined} */
  const stateOf = (at) => (pictureOf ? pictureOf(stateNumber(controls, at)) : asking?.stateOf(at));

  const walked = controls.find(({ name }) => name === model.get("walked"));
  const player =
    walked &&
    walk({
      control: walked,
      now: () => placeOf(walked, model.get(walked.name)),
      change: (key) => shell.change({ [walked.name]: key }),
      isWaiting: () => asking?.isWaiting() ?? false,
      redraw: () => drawControls(),
    });
  const settings = controls.map((control) => {
    /** @type {(key: Key) => void} */
    const change = (key) => {
      player?.stop();
      shell.change({ [control.name]: key });
    };
    return settingOf(control, change, { notify, onPage: Boolean(page) });
  });
  function drawControls() {
    const at = places();
    const parts = settings.map((setting, i) => [setting(at[i]), controls[i] === walked ? player?.button() : null]);
    renderIn(html`${parts}`, shell.controls);
  }

  const kinds = model.get("tree").panels.map(({ kind }) => String(model.get("slots")[kind.slot].table[0]));
  const places = () => placesOf(/** @type {State} */ (shell.state()));
  /** @type {Omit<Hand, "panelAt" | "orders">} */
  const hand = {
    controls,
    places,
    readerOver,
    handlesOver,
    between,
    statesOf(names) {
      return controls.reduce(
        (states, { name, keys }, i) =>
          names.includes(name) ? states.flatMap((state) => keys.map((_, at) => state.with(i, at))) : states,
        [places()],
      );
    },
    set(next) {
      player?.stop();
      const now = places();
      const parts = controls.flatMap(({ name, keys }, i) => (next[i] === now[i] ? [] : [[name, keys[next[i]]]]));
      if (parts.length) shell.change(Object.fromEntries(parts));
    },
  };
  const drawn = panelsIn(stage, kinds, (place) => {
    const own = { ...hand, panelAt: (/** @type {number[]} */ at) => (stateOf(at) ?? shown).panels[place] };
    return { ...own, orders: ordersBy(own) };
  });
  let shown = /** @type {Picture} */ ({});

  /** @type {(settingsNow: State, dark: boolean, width: number) => void} */
  function draw(settingsNow, dark, width) {
    const at = placesOf(settingsNow);
    drawControls();
    const state = stateOf(at);
    if (!state) return asking?.wait(at);
    asking?.show();
    shown = state;
    if (state.answer) shell.answer(state.answer.words, { sign: state.answer.sign });
    return drawn.draw(state.panels, dark, width, {
      pace: player?.pace(),
      whenDrawn: state.answer ? undefined : (reading) => shell.answer("", { reading }),
    });
  }

  shell.follow(draw, asking && ["visited", "said"]);
  shell.whenClosed(drawn.stop);
  if (player) shell.whenClosed(player.close);
  if (asking) shell.whenClosed(asking.close);
  return shell.close;
}

export default { render };
