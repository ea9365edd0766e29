// Everything that can be done with a key.

import { byId, dialog, h } from "../core/dom.js";
import { choose, chooseNone, removeMention } from "./edits.js";
import { shownMentions } from "./filters.js";
import { revealSelected } from "./highlight.js";
import { openBrowser } from "./browser.js";
import { askForWords } from "./selection.js";
import { addRule, ruleFor } from "./rules.js";
import { currentDocument, redo, selectedMention, set, state, undo } from "../core/state.js";

/** Select the next mention that is shown, or the one before. */
export function go(step) {
  const mentions = shownMentions();
  if (!mentions.length) return;
  const at = mentions.findIndex((mention) => mention.key === state.selected);
  const next = at < 0 ? (step > 0 ? 0 : mentions.length - 1) : (at + step + mentions.length) % mentions.length;
  set({ selected: mentions[next].key });
  revealSelected();
}

function goDocument(step) {
  const at = state.documents.findIndex((document) => document.key === state.current);
  const next = state.documents[at + step];
  if (next) set({ current: next.key, selected: null });
}

const withMention = (action) => () => {
  const mention = selectedMention();
  if (mention) action(mention);
};

const numbered = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [String(i + 1), [
  withMention((mention) => { if (mention.candidates?.[i]) choose(mention, mention.candidates[i]); }), null,
]]));

const KEYS = {
  n: [() => go(1), "next mention"],
  p: [() => go(-1), "previous mention"],
  ArrowRight: [() => go(1), null],
  ArrowLeft: [() => go(-1), null],
  Enter: [withMention(() => byId("card").focus()), "to the card of the mention"],
  ...numbered,
  0: [withMention(chooseNone), "none of these"],
  x: [withMention((mention) => set({ selected: removeMention(mention)?.key ?? null })), "remove the mention"],
  Delete: [withMention((mention) => set({ selected: removeMention(mention)?.key ?? null })), null],
  t: [withMention(() => byId("card").querySelector(".type-select select").focus()), "change the type"],
  s: [withMention(() => byId("card").querySelector(".picker input").focus()), "search for another concept"],
  a: [() => { if (currentDocument()) askForWords(); }, "add a mention by its words"],
  b: [withMention((mention) => { const rule = ruleFor("block", mention); if (rule) addRule(rule); }), "a rule that blocks it"],
  r: [withMention((mention) => { const rule = ruleFor("pin", mention); if (rule) addRule(rule); }), "a rule that pins it"],
  k: [() => openBrowser(selectedMention()?.ids?.find((id) => id !== "NIL") ?? null), "the browser of concepts"],
  "]": [() => goDocument(1), "next document"],
  "[": [() => goDocument(-1), "previous document"],
  u: [() => undo(), "undo (also Ctrl+Z)"],
  Escape: [() => set({ selected: null }), "select nothing"],
  "?": [() => showKeys(), "this list"],
};

const TYPING = "input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable], dialog[open]";

export function watchKeys() {
  document.addEventListener("keydown", (event) => {
    const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    if (event.target.closest(TYPING)) return;
    if (isUndo) {
      event.preventDefault();
      if (event.shiftKey) redo();
      else undo();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || byId("work").hidden) return;
    const isButton = event.target.closest("button, a, summary");
    if (isButton && (event.key === "Enter" || event.key.startsWith("Arrow"))) return;
    const found = KEYS[event.key];
    if (!found) return;
    event.preventDefault();
    found[0]();
  });
}

/** The dialog with all keys. */
export function showKeys() {
  const rows = Object.entries(KEYS).filter(([, [, about]]) => about);
  rows.splice(3, 0, ["1 … 9", [null, "that candidate"]]);
  dialog("Keyboard", h("table", { class: "keys" }, h("tbody", {}, rows.map(([key, [, about]]) =>
    h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, about))))));
}
