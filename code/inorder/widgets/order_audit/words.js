// What OrderAudit says.

export const LAWS = { order: "P", move: "S", future: "C" };
const VERBS = { order: ["follow", "follows"], move: ["move along", "moves along"], future: ["stay", "stays"] };
export const QUESTIONS = [
  ["order", "another order"],
  ["move", "moved"],
  ["future", "a new end"],
];

function verdict(laws) {
  if (laws.includes("P")) {
    return `this layer follows every permutation${laws.includes("C") ? ", and sees each row alone" : ""}`;
  }
  if (laws === "SC") return "this layer follows shifts, and sees only what came before";
  return `this layer ${{ S: "follows shifts only", C: "sees only what came before" }[laws] ?? "keeps none of the three laws"}`;
}

export function summarise({ question }, { laws }, { kept, asked, isSame }) {
  if (isSame) return "The same order: move a word.";
  const everyone = asked === 2 ? "Both outputs" : `All ${asked} outputs`;
  const told = kept === asked ? everyone : `${kept || "None"} of ${asked} outputs`;
  const byLuck = kept === asked && !laws.includes(LAWS[question]) ? " here, but not always" : "";
  return `${told} ${VERBS[question][Number(kept === 1)]}${byLuck}: ${verdict(laws)}.`;
}

export const LONGEST =
  "All 5 outputs move along here, but not always: this layer follows shifts, and sees only what came before.";
