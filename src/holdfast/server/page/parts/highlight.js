// The text with its mentions marked in place. A line is an element of its own: an edit redraws the lines
// that it changed, and browsers need not lay out those that are out of sight.

import { byId, h, say } from "../core/dom.js";
import { isShown } from "./filters.js";
import { bestOf, canonicalType, markedLines, nested, stateOf } from "../core/marks.js";
import { offsetsOf } from "../core/offsets.js";
import { currentDocument, onChange, selectedMention, set, state } from "../core/state.js";

let drawn = { key: null, lines: [] }; // the document on the screen, and {signature, element} of its lines

export function showText() {
  const text = byId("text");
  text.addEventListener("click", clicked);
  onChange((parts) => {
    if (parts.has("documents")) draw();
    if (parts.has("hidden") || parts.has("minScore")) showFiltered();
    if (parts.has("documents") || parts.has("selection")) showSelected();
  });
}

function draw() {
  const document = currentDocument();
  const text = byId("text");
  if (!document) {
    text.replaceChildren();
    drawn = { key: null, lines: [] };
    return;
  }
  const isNew = drawn.key !== document.key;
  const known = isNew ? [] : drawn.lines;
  const lines = markedLines(document).map((line, i) => {
    const signature = signatureOf(line);
    return known[i]?.signature === signature ? known[i] : { signature, element: lineElement(document, line) };
  });
  if (isNew || lines.length !== known.length) {
    text.replaceChildren(...lines.map((line) => line.element));
    text.scrollTop = 0;
  } else {
    lines.forEach((line, i) => { if (line !== known[i]) known[i].element.replaceWith(line.element); });
  }
  drawn = { key: document.key, lines };
}

const signatureOf = ({ start, end, marks }) => JSON.stringify([start, end,
  marks.map((m) => [m.start, m.end, m.number, m.mention.key, m.mention.type, stateOf(m.mention), isShown(m.mention)])]);

function lineElement(document, line) {
  const element = h("div", { class: "line" });
  element.dataset.start = line.start;
  element.append(...contents(document.text, nested(line.marks), line.start, line.end));
  return element;
}

function contents(text, pieces, start, end) {
  const nodes = [];
  let at = start;
  for (const piece of pieces) {
    if (at < piece.start) nodes.push(text.slice(at, piece.start));
    const mark = markElement(piece);
    mark.append(...contents(text, piece.inside, piece.start, piece.end));
    nodes.push(mark);
    at = piece.end;
  }
  if (at < end) nodes.push(text.slice(at, end));
  return nodes;
}

function markElement({ mention, number }) {
  const mark = h("mark", {});
  mark.dataset.key = mention.key;
  mark.dataset.type = canonicalType(mention.type);
  mark.dataset.state = stateOf(mention);
  if (number) mark.dataset.split = number;
  if (!isShown(mention)) mark.classList.add("off");
  return mark;
}

const marksOf = (key) => byId("text").querySelectorAll(`mark[data-key="${CSS.escape(key)}"]`);

function showFiltered() {
  const document = currentDocument();
  if (!document) return;
  const hidden = new Set(document.mentions.filter((mention) => !isShown(mention)).map((mention) => mention.key));
  for (const mark of byId("text").querySelectorAll("mark")) mark.classList.toggle("off", hidden.has(mark.dataset.key));
  drawn.lines = markedLines(document).map((line, i) => ({ ...drawn.lines[i], signature: signatureOf(line) }));
}

function showSelected() {
  for (const mark of byId("text").querySelectorAll("mark.selected")) mark.classList.remove("selected");
  const mention = selectedMention();
  if (!mention) return;
  const marks = marksOf(mention.key);
  for (const mark of marks) mark.classList.add("selected");
}

/** Bring the selected mention into sight, and say what it is. */
export function revealSelected() {
  const mention = selectedMention();
  if (!mention) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  marksOf(mention.key)[0]?.scrollIntoView({ block: isNarrow() ? "start" : "center", behavior: calm ? "auto" : "smooth" });
  const best = bestOf(mention);
  const answer = best ? `${best.label || best.name}, ${best.entity_id}` : (mention.ids?.join(", ") || "not linked");
  say(`${mention.text}: ${mention.type || "no type"}, ${answer}`);
}

/** A click selects the innermost mention; a second one the mention around it. */
function clicked(event) {
  if (!getSelection().isCollapsed) return;
  const around = [];
  for (let mark = event.target.closest("mark"); mark; mark = mark.parentElement.closest("mark")) {
    if (!mark.classList.contains("off")) around.push(mark.dataset.key);
  }
  if (!around.length) {
    set({ selected: null });
    return;
  }
  const at = around.indexOf(state.selected);
  set({ selected: around[(at + 1) % around.length] });
  if (isNarrow()) revealSelected();
}

/** Whether the card covers the lower half of the screen. */
const isNarrow = () => matchMedia("(max-width: 820px)").matches;

/** The selected words as `[start, end]` in code points; null if nothing of the text is selected. */
export function selectedSpan() {
  const selection = getSelection();
  const text = byId("text");
  if (selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  if (!text.contains(range.startContainer) || !text.contains(range.endContainer)) return null;
  const start = unitAt(range.startContainer, range.startOffset);
  const end = unitAt(range.endContainer, range.endOffset);
  const offsets = offsetsOf(currentDocument());
  return start < end ? [offsets.toPoints(start), offsets.toPoints(end)] : null;
}

/** Where in the text a place of the page is, in UTF-16 units. */
function unitAt(node, offset) {
  const container = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
  const line = container.closest(".line");
  if (!line) { // between two lines
    const next = byId("text").children[offset];
    return next ? Number(next.dataset.start) : currentDocument().text.length;
  }
  const before = document.createRange();
  before.setStart(line, 0);
  before.setEnd(node, offset);
  return Number(line.dataset.start) + before.toString().length;
}
