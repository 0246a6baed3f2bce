// Position schemes of a reader's own, which transformer.js does not have. Where there is a kernel, Python computes with
// them what the figure shows, and sends it as the trait `in_python`: { asked, … }, the settings that it is for, and the
// rest. A page of the book has the answer for the state that the figure was shown in.

const PATIENCE = 1000; // milliseconds until the reader is told that Python has not answered

/**
 * answer(position, asked): null where the browser computes, or what Python has computed for these settings; undefined
 * while it has not, of which the reader is told.
 * @template {{ asked?: unknown[] }} Answer
 * @param {{ newest: () => Answer, page?: Page, notify: (text: string) => void, schemes: TransformerState["schemes"] }}
 *   options  newest: what Python has sent last
 */
export function answersOfPython({ newest, page, notify, schemes }) {
  let timer = 0;
  let hasTold = false;
  /** @type {(text: string) => void} */
  function tell(text) {
    if (text || hasTold) notify(text);
    hasTold = text !== "";
  }
  /** @type {(position: string, asked: unknown[]) => Answer | null | undefined} */
  function answer(position, asked) {
    clearTimeout(timer);
    const { label, scheme } = schemes[position];
    const answered = newest();
    const isForThis = JSON.stringify(answered.asked) === JSON.stringify(asked);
    if (scheme.name !== "python" || isForThis) {
      tell("");
      return scheme.name === "python" ? answered : null;
    }
    const own = `The browser doesn’t know the scheme “${label}”.`;
    if (page) tell(`${own} Python can compute it: open the notebook and run this figure there.`);
    else
      timer = setTimeout(
        () =>
          tell(`${own} Python can compute it, but hasn’t answered yet: it may be busy, or its kernel isn’t running.`),
        PATIENCE,
      );
    return undefined;
  }
  return { answer, close: () => clearTimeout(timer) };
}
