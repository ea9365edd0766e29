// The concepts of a document, each once with how often it is mentioned.

import { button, byId, fill, h } from "../core/dom.js";
import { isShown } from "./filters.js";
import { revealSelected } from "./highlight.js";
import { bestOf, canonicalType, stateOf } from "../core/marks.js";
import { currentDocument, onChange, set, state } from "../core/state.js";

const MOST = 200; // rows at first
let whole = false;

export function showOverview() {
  onChange((parts) => {
    if (["documents", "hidden", "minScore", "selection"].some((part) => parts.has(part))) draw();
  });
}

/** Mentions of one answer: `{title, id, type, mentions}`, in the order of their first mention. */
function groups() {
  const found = new Map();
  for (const mention of (currentDocument()?.mentions ?? []).filter(isShown)) {
    const how = stateOf(mention);
    const key = how === "linked" ? mention.ids.join("|") : `${how} ${mention.text.toLowerCase()}`;
    const best = bestOf(mention);
    const title = how === "linked" ? best?.label || best?.name || mention.text : mention.text;
    const id = how === "linked" ? mention.ids.join(", ") : how === "nil" ? "none of these" : "not linked";
    if (!found.has(key)) found.set(key, { title, id, type: canonicalType(mention.type), mentions: [] });
    found.get(key).mentions.push(mention);
  }
  return [...found.values()].sort((a, b) => b.mentions.length - a.mentions.length);
}

function draw() {
  const element = byId("overview");
  const focused = element.contains(document.activeElement) ? document.activeElement.dataset.id : null;
  const all = groups();
  const shown = whole ? all : all.slice(0, MOST);
  fill(element,
    h("h2", {}, `${all.length} ${all.length === 1 ? "concept" : "concepts"}`),
    all.length ? h("ol", { class: "concepts" }, shown.map(row)) : h("p", { class: "help" }, "Nothing to show."),
    shown.length < all.length
      ? button(`Show all ${all.length}`, () => { whole = true; draw(); }, { class: "quiet" }) : null);
  if (focused) element.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

/** A row; a click selects its first mention, the next click the next one. */
function row({ title, id, type, mentions }) {
  const at = mentions.findIndex((mention) => mention.key === state.selected);
  const go = () => {
    document.body.classList.remove("show-list");
    set({ selected: mentions[(at + 1) % mentions.length].key });
    revealSelected();
  };
  return h("li", {}, h("button", {
    type: "button", class: "concept-row", "aria-current": at >= 0 ? "true" : null, onclick: go,
    dataset: { id: `${id} ${title}` },
  },
    h("span", { class: "dot", "aria-hidden": "true", dataset: { type } }),
    h("span", { class: "names" }, h("span", { class: "title" }, title), h("span", { class: "id" }, id)),
    h("span", { class: "count" }, at >= 0 ? `${at + 1}/${mentions.length}` : String(mentions.length))));
}
