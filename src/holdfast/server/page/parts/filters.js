// Which mentions are shown: by type, by vocabulary, by score.

import { byId, fill, h } from "../core/dom.js";
import { bestOf, canonicalType, vocabulariesOf } from "../core/marks.js";
import { currentDocument, onChange, set, state } from "../core/state.js";

/** Whether the filters let a mention through. One that has no score passes any limit. */
export function isShown(mention) {
  if (state.hidden.types.includes(canonicalType(mention.type))) return false;
  const vocabularies = vocabulariesOf(mention);
  if (vocabularies.every((name) => state.hidden.vocabularies.includes(name))) return false;
  const best = bestOf(mention);
  return !best || best.score >= state.minScore;
}

/** The mentions that are shown, in the order of the text. */
export const shownMentions = () => (currentDocument()?.mentions ?? []).filter(isShown);

export function showFilters() {
  onChange((parts) => {
    if (["documents", "hidden", "minScore"].some((part) => parts.has(part))) draw();
  });
}

function counted(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}

function draw() {
  const element = byId("filters");
  const focused = element.contains(document.activeElement) ? document.activeElement.dataset.name : null;
  const mentions = currentDocument()?.mentions ?? [];
  const types = counted(mentions.map((mention) => canonicalType(mention.type)));
  const vocabularies = counted(mentions.flatMap(vocabulariesOf));
  fill(element,
    types.map(([name, count]) => chip("types", name, name || "no type", count, true)),
    vocabularies.length > 1 ? h("span", { class: "divider", "aria-hidden": "true" }) : null,
    vocabularies.length > 1 ? vocabularies.map(([name, count]) => chip("vocabularies", name, name, count, false)) : null,
    mentions.length ? scoreSlider() : h("p", { class: "help" }, "No mention yet."));
  if (focused) element.querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus();
}

function chip(kind, name, title, count, coloured) {
  const isOn = !state.hidden[kind].includes(name);
  const toggle = () => {
    const hidden = isOn ? [...state.hidden[kind], name] : state.hidden[kind].filter((other) => other !== name);
    set({ hidden: { ...state.hidden, [kind]: hidden } });
  };
  return h("button", {
    type: "button", class: "chip", "aria-pressed": String(isOn), onclick: toggle,
    dataset: { name: `${kind}:${name}`, ...(coloured ? { type: name } : {}) },
  }, coloured ? h("span", { class: "dot", "aria-hidden": "true" }) : null, title, h("span", { class: "count" }, String(count)));
}

function scoreSlider() {
  const value = h("output", {}, state.minScore.toFixed(2));
  return h("label", { class: "score" }, "score from",
    h("input", {
      type: "range", min: "0", max: "1", step: "0.01", value: String(state.minScore), dataset: { name: "score" },
      oninput: (event) => { value.textContent = Number(event.target.value).toFixed(2); },
      onchange: (event) => set({ minScore: Number(event.target.value) }),
    }), value);
}
