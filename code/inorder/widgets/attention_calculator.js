// Every number of softmax(QKᵀ/√d)V for three to six tokens, live.

import {
  attentionScores, button, causalMask, checkbox, divergingColour, equalsOrNearly, figureShell, followState,
  formatNumber, isMatrix, isText, largestMagnitude, make, maskedScores, matmul, matrixGrid, sequentialColour, slider,
  softmax, subscript, uniqueId, variable,
} from "./kit.js";

const FEWEST_TOKENS = 3;
const MOST_TOKENS = 6;
const LONGEST_TOKEN = 20;
const LARGEST_ENTRY = 1000;

// ------------------------------------------------------------------------------------------------- the state

const checks = {
  tokens: (tokens) => Array.isArray(tokens) && tokens.every((token) => isText(token, LONGEST_TOKEN)),
  x: (x) => isMatrix(x, LARGEST_ENTRY),
  w_q: (w) => isMatrix(w, LARGEST_ENTRY),
  w_k: (w) => isMatrix(w, LARGEST_ENTRY),
  w_v: (w) => isMatrix(w, LARGEST_ENTRY),
  scale: (scale) => typeof scale === "boolean",
  mask: (mask) => mask === "none" || mask === "causal",
};

const within = (low, n, high) => low <= n && n <= high;

function agree({ tokens, x, w_q, w_k, w_v }) {
  const [n, dModel, dHead, dValue] = [tokens.length, x[0].length, w_q[0].length, w_v[0].length];
  return (
    within(FEWEST_TOKENS, n, MOST_TOKENS) && x.length === n && within(2, dModel, 4) &&
    [w_q, w_k, w_v].every((w) => w.length === dModel) &&
    within(1, dHead, 4) && w_k[0].length === dHead && within(1, dValue, 4)
  );
}

// -------------------------------------------------------------------------------------------- the arithmetic

export function calculate({ tokens, x, w_q, w_k, w_v, scale, mask }) {
  const query = matmul(x, w_q); // (n, d_head)
  const key = matmul(x, w_k); // (n, d_head)
  const value = matmul(x, w_v); // (n, d_value)
  const scores = attentionScores(query, key, { scale: 1 }); // (query, key)
  const allowed = mask === "causal" ? causalMask(tokens.length) : null;
  const scaled = maskedScores(scale ? attentionScores(query, key) : scores, { mask: allowed });
  const weights = scaled.map(softmax); // (query, key)
  const output = matmul(weights, value); // (n, d_value)
  return { x, w_q, w_k, w_v, query, key, value, scores, scaled_scores: scaled, weights, output };
}

// ------------------------------------------------------------------------------------------------- the words

function summarise({ tokens, w_q, scale, mask }, { weights }) {
  const scaling = scale ? `Scores divided by √${w_q[0].length}` : "Scores not scaled";
  const masking = mask === "causal" ? "causal mask" : "no mask";
  const rows = tokens.map((token, i) => attends(tokens, i, mask === "causal" ? weights[i].slice(0, i + 1) : weights[i]));
  return `${scaling}, ${masking}. ${rows.join("; ")}.`;
}

function attends(tokens, i, row) {
  const [low, high] = [Math.min(...row), Math.max(...row)];
  if (row.length === 1) return `“${tokens[i]}” can attend only to itself`;
  if (high - low < 1e-9) {
    return `“${tokens[i]}” attends equally to ${row.length} tokens (${formatNumber(row[0])} each)`;
  }
  const most = row.indexOf(high);
  const target = most === i ? "itself" : `“${tokens[most]}”`;
  return `“${tokens[i]}” attends most to ${target} (${formatNumber(high)})`;
}

const first = (text) => make("span", { class: "is-first" }, text);
const second = (text) => make("span", { class: "is-second" }, text);
const strong = (text) => make("strong", {}, text);
const signed = (x) => (x < 0 ? `(${formatNumber(x)})` : formatNumber(x));

// a · b written out, its value, and how exact the printed value is
function dot(a, b, result) {
  const terms = a.flatMap((x, k) => [k ? " + " : "", first(signed(x)), " × ", second(signed(b[k]))]);
  return [...terms, ` ${equalsOrNearly(result)} `, strong(formatNumber(result))];
}

const column = (matrix, j) => matrix.map((row) => row[j]);

// For the cell (i, j) of a matrix: what it is, its arithmetic, and which cells it is made of.
const explanations = {
  x: (state, _, i, j) => ({
    what: `Entry ${j + 1} of the embedding of “${state.tokens[i]}”: yours to change.`,
    name: `X, “${state.tokens[i]}”, entry ${j + 1}`,
  }),
  w_q: (_, __, i, j) => ({ what: "An entry of the query weights: yours to change.", name: entryName("W_Q", i, j) }),
  w_k: (_, __, i, j) => ({ what: "An entry of the key weights: yours to change.", name: entryName("W_K", i, j) }),
  w_v: (_, __, i, j) => ({ what: "An entry of the value weights: yours to change.", name: entryName("W_V", i, j) }),
  query: (state, all, i, j) => project(state, all, "query", "w_q", "Q", i, j),
  key: (state, all, i, j) => project(state, all, "key", "w_k", "K", i, j),
  value: (state, all, i, j) => project(state, all, "value", "w_v", "V", i, j),
  scores: ({ tokens }, { query, key, scores }, i, j) => ({
    what: `How well the query of “${tokens[i]}” matches the key of “${tokens[j]}”.`,
    sum: [`S${at(i, j)} = `, first(`q${subscript(i + 1)}`), " · ", second(`k${subscript(j + 1)}`), " = ",
      ...dot(query[i], key[j], scores[i][j])],
    marks: [{ in: "query", kind: "first", row: i }, { in: "key", kind: "second", row: j }],
  }),
  scaled_scores: (state, all, i, j) => ({ ...scaleOne(state, all, i, j), marks: [{ in: "scores", kind: "first", row: i, column: j }] }),
  weights: ({ tokens }, { scaled_scores, weights }, i, j) => ({
    what: `The share of its attention that “${tokens[i]}” gives to “${tokens[j]}”. Each row sums to 1.`,
    sum: softmaxSum(scaled_scores[i], i, j, weights[i][j]),
    marks: [{ in: "scaled_scores", kind: "second", row: i }, { in: "scaled_scores", kind: "first", row: i, column: j }],
  }),
  output: ({ tokens }, { weights, value, output }, i, j) => ({
    what: `The values of all tokens, entry ${j + 1}, averaged with the weights of “${tokens[i]}”.`,
    sum: [`Y${at(i, j)} = `, ...dot(weights[i], column(value, j), output[i][j])],
    marks: [{ in: "weights", kind: "first", row: i }, { in: "value", kind: "second", column: j }],
  }),
};

const at = (i, j) => `${subscript(i + 1)}${subscript(j + 1)}`;
const entryName = (matrix, i, j) => `${matrix}, row ${i + 1}, column ${j + 1}`;

function project({ tokens }, all, name, weight, letter, i, j) {
  return {
    what: `Entry ${j + 1} of the ${name} of “${tokens[i]}”: its embedding times column ${j + 1} of W${letter}.`,
    sum: [`${letter}${at(i, j)} = `, ...dot(all.x[i], column(all[weight], j), all[name][i][j])],
    marks: [{ in: "x", kind: "first", row: i }, { in: weight, kind: "second", column: j }],
  };
}

function scaleOne({ tokens, w_q, scale }, { scores, scaled_scores }, i, j) {
  const [score, scaled] = [scores[i][j], scaled_scores[i][j]];
  if (scaled === -Infinity) {
    return {
      what: `“${tokens[j]}” comes after “${tokens[i]}”, so the causal mask hides it.`,
      sum: [first(formatNumber(score)), " is replaced by ", strong("−∞"), ", and exp(−∞) = 0"],
    };
  }
  const root = `√${w_q[0].length}`;
  const division = [first(signed(score)), ` / ${root} ${equalsOrNearly(scaled)} `, strong(formatNumber(scaled))];
  return {
    what: scale
      ? `The score of “${tokens[i]}” and “${tokens[j]}”, divided by ${root}: the root of the length of a query.`
      : "Scaling is off: the score as it is.",
    sum: [`S${at(i, j)}${scale ? ` / ${root}` : ""} = `, ...(scale ? division : [strong(formatNumber(score))])],
  };
}

function softmaxSum(row, i, j, weight) {
  const visible = row.filter((score) => score !== -Infinity);
  if (row[j] === -Infinity) return [`A${at(i, j)} = exp(−∞) / … = `, strong("0.00")];
  const terms = visible.flatMap((score, k) => [k ? " + " : "", second(`exp(${formatNumber(score)})`)]);
  return [`A${at(i, j)} = `, first(`exp(${formatNumber(row[j])})`), " / (", ...terms, `) ${equalsOrNearly(weight)} `,
    strong(formatNumber(weight))];
}

// ------------------------------------------------------------------------------------------------ the figure

function render({ model, el, page }) {
  const shell = figureShell({ model, el, page, checks, agree });
  const explainId = uniqueId("inorder-explain");
  let all = calculate(shell.state());
  let shown = { name: "weights", row: 0, column: 0 }; // the cell being explained
  let chosen = shown; // the cell that has, or last had, the focus

  // controls
  const tokenRow = make("div", { class: "inorder-tokens", role: "group", "aria-label": "Tokens" });
  const scale = checkbox({ label: "", onInput: (checked) => shell.change({ scale: checked }) });
  const mask = checkbox({ label: "Causal mask", onInput: (on) => shell.change({ mask: on ? "causal" : "none" }) });
  shell.controls.append(tokenRow, make("div", { class: "inorder-switches" }, scale.root, mask.root));

  const addToken = button({ label: "Add a token", text: "+ add", onClick: () => {
    const { tokens, x } = shell.state();
    shell.change({ tokens: [...tokens, "new"], x: [...x, x[0].map(() => 0)] });
    tokenRow.querySelectorAll("input")[tokens.length].select();
  } });

  function removeToken(i) {
    const { tokens, x } = shell.state();
    shell.change({ tokens: tokens.filter((_, k) => k !== i), x: x.filter((_, k) => k !== i) });
    tokenRow.querySelectorAll("input")[Math.min(i, tokens.length - 2)].focus();
  }

  function renameToken(i, text) {
    shell.change({ tokens: shell.state().tokens.map((token, k) => (k === i ? text : token)) });
  }

  function drawTokens(tokens) {
    if (tokenRow.querySelectorAll("input").length !== tokens.length) {
      const boxes = tokens.map((_, i) => make("span", { class: "inorder-token" },
        make("input", { type: "text", maxlength: LONGEST_TOKEN, "aria-label": `Token ${i + 1}`, dir: "auto",
          autocomplete: "off", spellcheck: "false", oninput: (event) => renameToken(i, event.target.value) }),
        button({ label: `Remove token ${i + 1}`, text: "×", onClick: () => removeToken(i) })));
      tokenRow.replaceChildren(...boxes, addToken);
    }
    tokenRow.querySelectorAll("input").forEach((box, i) => {
      if (box.value !== tokens[i]) box.value = tokens[i];
    });
    tokenRow.querySelectorAll(".inorder-token button").forEach((remove) => {
      remove.disabled = tokens.length === FEWEST_TOKENS;
    });
    addToken.disabled = tokens.length === MOST_TOKENS;
  }

  // matrices
  const grids = {};
  function grid(name, label, equation, words, editable = false) {
    const editing = { onEdit: (row, col, value) => setEntry(name, row, col, value), onType: () => entry.box.select() };
    grids[name] = matrixGrid({
      name, label, equation, words, describedBy: explainId,
      onShow: (row, col, kind) => show({ name, row, column: col }, kind),
      onLeave: () => show(chosen, "hover"),
      ...(editable ? editing : {}),
    });
    return grids[name].root;
  }

  function setEntry(name, row, col, value) {
    const bounded = Math.min(Math.max(value, -LARGEST_ENTRY), LARGEST_ENTRY);
    const matrix = shell.state()[name].map((line, i) => line.map((old, j) => (i === row && j === col ? bounded : old)));
    shell.change({ [name]: matrix });
  }

  const [X, A, V, S, Y] = ["X", "A", "V", "S", "Y"].map((letter) => () => variable(letter));
  const weightOf = (letter) => variable("W", { sub: letter });
  const projection = (letter, words, weight, name) => make("div", { class: "inorder-projection" },
    grid(weight, `Weights W_${letter}`, [weightOf(letter)], "learned", true),
    grid(name, `${letter}, ${words}`, [variable(letter), " = ", X(), weightOf(letter)], words));
  const step = (text, ...matrices) => make("div", { class: "inorder-step" },
    make("div", { class: "inorder-step-name" }, text), make("div", { class: "inorder-matrices" }, ...matrices));
  const hint = make("p", { class: "inorder-hint", "data-picture": "skip" }, "The ",
    make("span", { class: "inorder-yours" }, "underlined"),
    " numbers are yours: drag them sideways, or choose one and use the slider, + and −, or Enter.");

  const explain = make("div", { class: "inorder-explain", id: explainId });
  const entry = slider({ label: "entry", min: -2, max: 2, step: 0.1,
    onInput: (value) => setEntry(chosen.name, chosen.row, chosen.column, value) });
  entry.root.dataset.picture = "skip";
  entry.box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === "Escape") grids[chosen.name].focusCell(chosen.row, chosen.column);
  });

  shell.stage.append(
    step("Project every token", make("div", { class: "inorder-given" }, hint, grid("x", "X, embeddings", [X()], "embeddings", true)),
      projection("Q", "queries", "w_q", "query"), projection("K", "keys", "w_k", "key"),
      projection("V", "values", "w_v", "value")),
    step("Compare every query (row) with every key (column)",
      grid("scores", "Scores", [S(), " = ", variable("Q"), variable("K", { sup: "⊤" })], "scores"),
      grid("scaled_scores", "Scaled and masked scores", [S()], "scaled")),
    step("Average the values with the weights", grid("weights", "Attention weights", [A()], "weights"),
      grid("output", "Output", [Y(), " = ", A(), V()], "output")),
    make("div", { class: "inorder-explain-area" }, explain, entry.root),
  );

  function show(cell, kind) {
    shown = cell;
    if (kind === "focus") chosen = cell;
    drawExplanation();
  }

  function drawExplanation() {
    const state = shell.state();
    const { what, sum = [], marks = [], name } = explanations[shown.name](state, all, shown.row, shown.column);
    explain.replaceChildren(make("p", {}, what), make("p", { class: "inorder-sum" }, ...sum));
    for (const [gridName, { mark }] of Object.entries(grids)) {
      const here = shown.name === gridName ? [{ kind: "target", row: shown.row, column: shown.column }] : [];
      mark([...marks.filter((m) => m.in === gridName), ...here]);
    }
    const editable = isSame(shown, chosen) && name !== undefined;
    entry.root.classList.toggle("is-hidden", !editable);
    if (editable) {
      entry.rename(name);
      entry.set(state[shown.name][shown.row][shown.column]);
    }
  }

  const isSame = (a, b) => a.name === b.name && a.row === b.row && a.column === b.column;

  const clamp = (cell) => ({
    ...cell,
    row: Math.min(cell.row, all[cell.name].length - 1),
    column: Math.min(cell.column, all[cell.name][0].length - 1),
  });

  function draw(state, dark) {
    all = calculate(state);
    const vectors = largestMagnitude(all.query, all.key, all.value);
    const scores = largestMagnitude(all.scores);
    const plain = () => ({ fill: "", ink: "" });
    const bySign = (largest) => (value) => divergingColour(Number.isFinite(value) ? value / largest : 0, dark);
    const colours = {
      x: plain, w_q: plain, w_k: plain, w_v: plain, query: bySign(vectors), key: bySign(vectors), value: bySign(vectors),
      scores: bySign(scores), scaled_scores: bySign(scores), weights: (weight) => sequentialColour(weight, dark),
      output: bySign(vectors),
    };
    for (const [name, { update }] of Object.entries(grids)) {
      const numbers = all[name][0].map((_, j) => String(j + 1));
      const rows = name.startsWith("w_") ? all[name].map((_, i) => String(i + 1)) : state.tokens;
      const byKey = ["scores", "scaled_scores", "weights"].includes(name);
      update({ values: all[name], rows, columns: byKey ? state.tokens : numbers, colour: colours[name] });
    }
    const root = `√${state.w_q[0].length}`;
    const scaled = () => [S(), state.scale ? ` / ${root}` : "", state.mask === "causal" ? " + mask" : ""];
    grids.scaled_scores.formula.replaceChildren(...scaled());
    grids.weights.formula.replaceChildren(A(), " = softmax(", ...scaled(), ")");
    drawTokens(state.tokens);
    scale.text.textContent = `Divide by ${root}`;
    scale.set(state.scale);
    mask.set(state.mask === "causal");
    shell.summary(summarise(state, all));
    chosen = clamp(chosen);
    shown = clamp(shown);
    drawExplanation();
  }

  const stop = followState(shell, draw);
  return () => {
    stop();
    shell.close();
  };
}

export default { render };
