// The selected mention: what it is, why, what else it might be, and how to correct it.

import * as api from "../core/api.js";
import { openBrowser } from "./browser.js";
import { conceptView, idLink } from "./concept.js";
import { button, byId, fill, h } from "../core/dom.js";
import { choose, chooseNone, removeMention, requestOptions, setType, toggleId } from "./edits.js";
import { bestOf, canonicalType, stateOf, TYPES } from "../core/marks.js";
import { picker } from "./picker.js";
import { addRule, ruleFor } from "./rules.js";
import { spanEditor } from "./spans.js";
import { currentDocument, onChange, selectedMention, set, state } from "../core/state.js";

let drawn = null; // the mention on the card, as it was drawn

export function showCard() {
  onChange((parts) => {
    if (!parts.has("documents") && !parts.has("selection")) return;
    const mention = selectedMention();
    document.body.classList.toggle("has-selection", Boolean(mention));
    if (mention === drawn) return;
    const hadFocus = byId("card").contains(document.activeElement);
    drawn = mention;
    fill(byId("card"), ...(mention ? contents(mention) : nothing()));
    if (hadFocus) byId("card").focus({ preventScroll: true });
  });
  fill(byId("card"), ...nothing());
}

const nothing = () => [h("div", { class: "nothing" },
  h("h2", {}, "No mention is selected"),
  h("p", { class: "help" }, "Click one, or press ", h("kbd", {}, "n"), " for the next. "
    + "Here you see what it is linked to and why, and correct it."))];

function contents(mention) {
  const linked = stateOf(mention) === "linked";
  return [
    h("div", { class: "card-head" },
      h("h2", {}, `“${mention.text}”`),
      button("×", () => set({ selected: null }), { class: "quiet", "aria-label": "Close the card" })),
    h("div", { class: "row" }, typeSelect(mention),
      mention.byHand ? h("span", { class: "tag" }, "by hand") : null,
      mention.status ? h("span", { class: "tag" }, mention.status) : null,
      button("Remove", () => set({ selected: removeMention(mention)?.key ?? null }), { class: "quiet danger", "aria-keyshortcuts": "x" })),
    linked ? mention.ids.map((id) => answer(mention, id)) : unlinked(mention),
    why(mention),
    kinds(mention),
    candidates(mention),
    h("section", {}, h("h3", {}, "Another concept"),
      picker("Search by name or id", (found) => choose(mention, { entity_id: found.id, label: found.label, name: found.name }))),
    h("section", {}, h("h3", {}, "Span"), spanEditor(mention)),
    rules(mention),
  ];
}

function typeSelect(mention) {
  const canonical = canonicalType(mention.type);
  const known = TYPES.includes(canonical) || !mention.type ? TYPES : [mention.type, ...TYPES];
  return h("label", { class: "type-select", dataset: { type: canonical } },
    h("span", { class: "dot", "aria-hidden": "true" }), h("span", { class: "visually-hidden" }, "Type"),
    h("select", { onchange: (event) => setType(mention, event.target.value) },
      h("option", { value: "", selected: !mention.type }, "no type"),
      known.map((type) => h("option", { value: type, selected: type === (TYPES.includes(canonical) ? canonical : mention.type) }, type))));
}

function answer(mention, id) {
  const candidate = mention.candidates?.find((one) => one.entity_id === id);
  return h("section", { class: "answer" },
    h("h3", {}, candidate?.label || candidate?.name || id),
    h("p", { class: "row" }, idLink(id), candidate ? score(candidate.score) : null,
      button("In the hierarchy", () => openBrowser(id), { class: "quiet small" })),
    candidate?.evidence?.length ? evidence(candidate) : null,
    conceptView(id, openBrowser));
}

const unlinked = (mention) => h("section", { class: "answer" },
  h("h3", {}, stateOf(mention) === "nil" ? "None of these" : "Not linked yet"),
  h("p", { class: "help" }, stateOf(mention) === "nil"
    ? "It was looked at, and no concept of the knowledge base fits."
    : "Choose a candidate, search, or say that none fits."));

/** A score from 0 to 1 as a bar with its number. */
export function score(value) {
  const bar = h("meter", { min: "0", max: "1", value: String(value), "aria-label": "score" });
  return h("span", { class: "score-value" }, bar, value.toFixed(2));
}

const evidence = (candidate) => h("ul", { class: "evidence" }, candidate.evidence.map((one) =>
  h("li", {}, one.detail || one.kind, one.score === undefined ? null : h("span", { class: "number" }, ` ${one.score.toFixed(2)}`))));

/** What kind of thing it is, in the words of a typing model, where one has spoken. */
const kinds = (mention) => (mention.types?.length ? h("section", {}, h("h3", {}, "Kind of thing"),
  h("ul", { class: "kinds" }, mention.types.map((type) => h("li", { class: "row" }, h("span", {}, type.name), score(type.score))))) : null);

/** Every candidate, with what speaks for it. */
function candidates(mention) {
  const all = mention.candidates ?? [];
  return h("section", {}, h("h3", {}, "Candidates"),
    all.length ? null : h("p", { class: "help" }, "None are known."),
    h("ol", { class: "candidates" }, all.map((candidate, i) => candidateRow(mention, candidate, i))),
    button("None of these", () => chooseNone(mention), {
      class: stateOf(mention) === "nil" ? "chosen wide" : "wide", "aria-pressed": String(stateOf(mention) === "nil"), "aria-keyshortcuts": "0",
    }));
}

function candidateRow(mention, candidate, i) {
  const isChosen = mention.ids?.includes(candidate.entity_id) ?? false;
  const name = candidate.label || candidate.name || candidate.entity_id;
  return h("li", { class: isChosen ? "chosen" : "" },
    h("div", { class: "row" },
      h("button", {
        type: "button", class: "take", "aria-pressed": String(isChosen), "aria-keyshortcuts": i < 9 ? String(i + 1) : null,
        onclick: () => choose(mention, candidate),
      }, h("span", { class: "title" }, name), h("span", { class: "id" }, candidate.entity_id)),
      score(candidate.score),
      button(isChosen ? "−" : "+", () => toggleId(mention, candidate), {
        class: "quiet", "aria-label": isChosen ? `Not also ${name}` : `Also ${name}`, title: "for a mention of several concepts",
      })),
    candidate.evidence?.length ? evidence(candidate) : null);
}

/** Why this and not that: asked of the service when a person wants to know. */
function why(mention) {
  const body = h("div", { class: "why-body" });
  const details = h("details", { class: "why" }, h("summary", {}, "Why this and not that?"), body);
  details.addEventListener("toggle", async () => {
    if (!details.open || body.childElementCount) return;
    fill(body, h("p", { class: "help" }, "Asking …"));
    try {
      const options = { ...requestOptions(), nested: state.options.nested };
      const what = { spans: mention.spans, type: mention.type ?? "" };
      fill(body, ...explained(await api.explain(currentDocument().text, what, options)));
    } catch (error) {
      fill(body, h("p", { class: "problem" }, error.message));
    }
  });
  return details;
}

function explained({ found, summary = [], context = [] }) {
  const number = (value) => (value === null ? "–" : value.toFixed(2));
  return [
    found ? null : h("p", {}, "The service by itself does not find this mention; this is what it makes of it."),
    summary.map((sentence) => h("p", {}, sentence)),
    context.length ? h("table", {},
      h("caption", {}, "What the text around it changes"),
      h("thead", {}, h("tr", {}, ["concept", "alone", "in the text"].map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, context.map((row) => h("tr", {}, h("th", { scope: "row" }, row.label || row.entity_id),
        h("td", {}, number(row.alone)), h("td", {}, number(row.in_context)))))) : null,
  ];
}

function rules(mention) {
  const best = bestOf(mention);
  const concept = best?.label || mention.ids?.[0] || "";
  const offers = [
    ["block", "Never a mention"],
    ["pin", `Always ${concept}`],
    ["synonym", `A name of ${concept}`],
  ].map(([kind, title]) => [ruleFor(kind, mention), title]).filter(([rule]) => rule);
  return offers.length ? h("section", {}, h("h3", {}, "Make it a rule"),
    h("div", { class: "row wrap" }, offers.map(([rule, title]) => button(title, () => addRule(rule), { dataset: { rule: rule.kind } })))) : null;
}
