// Change where a mention stands, by whole words, or add and remove its pieces.

import { button, h } from "../core/dom.js";
import { setSpans, shortened } from "./edits.js";
import { offsetsOf, slice } from "../core/offsets.js";
import { currentDocument } from "../core/state.js";

const WORD = /[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu;

/** The ends of the words and signs around a place, in code points. */
function wordEdges(document, point) {
  const offsets = offsetsOf(document);
  const at = offsets.toUnits(point);
  const from = Math.max(0, at - 200);
  const around = document.text.slice(from, at + 200);
  const edges = [...around.matchAll(WORD)].map((found) =>
    [found.index + from, found.index + from + found[0].length].map((unit) => offsets.toPoints(unit)));
  return edges;
}

function moved(document, [start, end], side, step) {
  if (side === "start") {
    const starts = wordEdges(document, start).map(([begin]) => begin);
    const to = step < 0 ? starts.filter((begin) => begin < start).at(-1) : starts.find((begin) => begin > start);
    return to === undefined || to >= end ? null : [to, end];
  }
  const ends = wordEdges(document, end).map(([, last]) => last);
  const to = step > 0 ? ends.find((last) => last > end) : ends.filter((last) => last < end).at(-1);
  return to === undefined || to <= start ? null : [start, to];
}

/** Buttons that move the ends of each piece of a mention. */
export function spanEditor(mention) {
  const document = currentDocument();
  return h("div", { class: "spans" }, mention.spans.map((span, i) => {
    const words = slice(document, ...span);
    const arrow = (text, title, side, step) => {
      const after = moved(document, span, side, step);
      return button(text, () => setSpans(mention, mention.spans.map((other, j) => (j === i ? after : other))),
        { class: "quiet", "aria-label": `${title} of “${shortened(words)}”`, title, disabled: after === null });
    };
    return h("div", { class: "row span" },
      arrow("⇤", "A word more at the start", "start", -1), arrow("→", "A word less at the start", "start", 1),
      h("span", { class: "words" }, shortened(words, 60)),
      arrow("←", "A word less at the end", "end", -1), arrow("⇥", "A word more at the end", "end", 1),
      mention.spans.length > 1
        ? button("×", () => setSpans(mention, mention.spans.filter((_, j) => j !== i), "remove a piece"),
          { class: "quiet", "aria-label": `Remove the piece “${shortened(words)}”` }) : null);
  }), h("p", { class: "help" }, `${mention.spans.map(([a, b]) => `${a}–${b}`).join(", ")}. Select words in the text to replace the span, or to add a piece that is apart.`));
}
