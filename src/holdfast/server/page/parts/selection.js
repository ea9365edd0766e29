// Words that a person selects in the text: add a mention, move the selected one, or ask why it is none.

import * as api from "../core/api.js";
import { button, byId, dialog, fill, h, toast } from "../core/dom.js";
import { addEverywhere, addMention, merged, requestOptions, setSpans, shortened } from "./edits.js";
import { selectedSpan } from "./highlight.js";
import { TYPES } from "../core/marks.js";
import { offsetsOf, slice } from "../core/offsets.js";
import { currentDocument, selectedMention, state } from "../core/state.js";

let lastType = "Disease";
let span = null;

export function watchSelection() {
  document.addEventListener("selectionchange", () => { if (getSelection().isCollapsed) hide(); });
  byId("text").addEventListener("pointerup", () => setTimeout(offer, 0));
  byId("text").addEventListener("keyup", (event) => { if (event.shiftKey || event.key === "Shift") offer(); });
}

function hide() {
  const bar = byId("selection-bar");
  if (!bar.contains(document.activeElement)) bar.hidden = true;
}

/** Show the bar for what is selected now. */
export function offer() {
  const selected = selectedSpan();
  [span] = selected ? merged([selected], currentDocument()) : [];
  const bar = byId("selection-bar");
  if (!span) {
    bar.hidden = true;
    return;
  }
  const words = slice(currentDocument(), ...span);
  const mention = selectedMention();
  const type = h("select", { "aria-label": "Type", onchange: (event) => { lastType = event.target.value; } },
    TYPES.map((name) => h("option", { value: name, selected: name === lastType }, name)));
  fill(bar,
    h("span", { class: "words" }, `“${shortened(words, 30)}”`), type,
    button("Add", () => { addMention([span], type.value); close(); }, { class: "primary", "aria-label": "Add a mention" }),
    button("Add all", () => { everywhere(words, type.value); close(); }, { title: "at every place where these words stand" }),
    mention ? button("Move here", () => { setSpans(mention, [span]); close(); }, { title: `move “${shortened(mention.text)}” here` }) : null,
    mention ? button("Add piece", () => { setSpans(mention, [...mention.spans, span], "add a piece"); close(); },
      { title: `“${shortened(mention.text)}” continues here` }) : null,
    button("Why not?", () => { whyNot(words); close(); }, { class: "quiet", title: "why it is no mention, or another one" }));
  bar.hidden = false;
  place(bar);
}

function close() {
  getSelection().removeAllRanges();
  byId("selection-bar").hidden = true;
}

function place(bar) {
  const words = getSelection().getRangeAt(0).getBoundingClientRect();
  const { width, height } = bar.getBoundingClientRect();
  const left = Math.min(Math.max(8, words.left + words.width / 2 - width / 2), innerWidth - width - 8);
  const above = words.top - height - 8;
  bar.style.left = `${Math.max(8, left)}px`;
  bar.style.top = `${above > 8 ? above : Math.min(words.bottom + 8, innerHeight - height - 8)}px`;
}

/** A mention at each place where the words stand as whole words and no mention is. */
function everywhere(words, type) {
  const places = placesOf(currentDocument(), words);
  const number = addEverywhere(places, type);
  if (!number) toast("There is a mention at every such place already.");
}

export function placesOf(document, words) {
  const offsets = offsetsOf(document);
  const taken = (start, end) => document.mentions.some((m) => m.spans.some(([a, b]) => a < end && start < b));
  const escaped = words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, "gu");
  return [...document.text.matchAll(pattern)]
    .map((found) => [found.index, found.index + found[0].length].map((unit) => offsets.toPoints(unit)))
    .filter(([start, end]) => !taken(start, end));
}

async function whyNot(term) {
  const body = h("div", {}, h("p", { class: "help" }, "Asking …"));
  dialog(`Why not “${shortened(term)}”?`, body);
  try {
    const options = { ...requestOptions(), nested: state.options.nested };
    const { why_not: answer } = await api.explain(currentDocument().text, { term }, options);
    const reasons = (list) => h("ul", { class: "evidence" }, list.map((one) => h("li", {}, h("strong", {}, one.rule), ` ${one.detail}`)));
    fill(body, answer.places.map((one) => h("section", {}, h("h3", {}, `“${one.text}” at ${one.start}–${one.end}`), reasons(one.reasons))),
      answer.reasons?.length ? reasons(answer.reasons) : null);
  } catch (error) {
    fill(body, h("p", { class: "problem" }, error.message));
  }
}

/** Add a mention without a mouse: type its words. */
export function askForWords() {
  const document = currentDocument();
  const words = h("input", { type: "text", "aria-label": "Words of the text", required: true, autofocus: true });
  const type = h("select", { "aria-label": "Type" }, TYPES.map((name) => h("option", { value: name, selected: name === lastType }, name)));
  const problem = h("p", { class: "problem", role: "alert" });
  const add = (all) => {
    const places = words.value.trim() ? placesOf(document, words.value.trim()) : [];
    if (!places.length) {
      problem.textContent = "These words stand nowhere as whole words, or are mentions already.";
      return;
    }
    element.close();
    if (all) addEverywhere(places, type.value);
    else addMention([places[0]], type.value);
  };
  const element = dialog("Add a mention", h("form", {
    class: "row wrap", onsubmit: (event) => { event.preventDefault(); add(false); },
  }, words, type, h("button", { type: "submit", class: "primary" }, "Add the first"), button("Add all", () => add(true))), problem);
}

