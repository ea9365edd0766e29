// What a person may correct. Each function makes one edit, which can be undone.

import * as api from "../core/api.js";
import { toast } from "../core/dom.js";
import { slice, wordsOf } from "../core/offsets.js";
import { amend, change, currentDocument, newKey, selectedMention, state, undo } from "../core/state.js";
import { suggestRule } from "./rules.js";

export const NIL = "NIL";

/** What the pipeline is asked with every request. */
export function requestOptions() {
  const { kb, model, types } = state.options;
  return { ...(kb ? { kb } : {}), ...(model ? { model } : {}), ...(types && state.hasTyping ? { types } : {}) };
}

function replaceMention(what, mention, values) {
  const after = { ...mention, ...values, byHand: true };
  change({ what, document: state.current, removed: [mention], added: [after] });
  return after;
}

function done(text, rule) {
  const actions = rule ? [[rule.name, rule.make]] : [];
  toast(text, [...actions, ["Undo", undo]]);
}

/** Link a mention to one entity. A candidate that is not among its own says that a person chose it. */
export function choose(mention, candidate) {
  const known = (mention.candidates ?? []).some((c) => c.entity_id === candidate.entity_id);
  const candidates = known ? mention.candidates : [chosenByHand(candidate), ...(mention.candidates ?? [])];
  const after = replaceMention(`link to ${candidate.entity_id}`, mention, { ids: [candidate.entity_id], candidates });
  done(`Linked to ${candidate.label || candidate.entity_id}.`, suggestRule("pin", after));
}

/** Add an entity to those of a composite such as “breast and ovarian cancer”, or take it away. */
export function toggleId(mention, candidate) {
  const ids = (mention.ids ?? []).filter((id) => id !== NIL);
  const has = ids.includes(candidate.entity_id);
  const after = has ? ids.filter((id) => id !== candidate.entity_id) : [...ids, candidate.entity_id];
  replaceMention(has ? "remove an id" : "add an id", mention, { ids: after.length ? after : [NIL] });
  done(has ? "Id removed." : "Id added.");
}

const chosenByHand = ({ entity_id, name = "", label = "" }) => ({
  entity_id, name, label, score: 1, evidence: [{ kind: "person", detail: "chosen by hand" }],
});

/** Say that no concept fits. */
export function chooseNone(mention) {
  const after = replaceMention("none of these", mention, { ids: [NIL] });
  done("No concept fits.", suggestRule("block", after));
}

export function setType(mention, type) {
  replaceMention(`type ${type || "none"}`, mention, { type });
  done(type ? `The type is ${type}.` : "The type is removed.");
}

export function removeMention(mention) {
  const mentions = currentDocument().mentions;
  const at = mentions.findIndex((m) => m.key === mention.key);
  const next = mentions[at + 1] ?? mentions[at - 1] ?? null;
  change({ what: "remove a mention", document: state.current, removed: [mention] });
  done(`“${shortened(mention.text)}” is no mention.`, suggestRule("block", mention));
  return next;
}

/** Give a mention other spans, in code points; what they are linked to is asked anew. */
export function setSpans(mention, spans, what = "change a span") {
  const sound = merged(spans, currentDocument());
  if (!sound.length) return;
  const text = wordsOf(currentDocument(), sound);
  const after = replaceMention(what, mention, { spans: sound, text, types: undefined });
  done(`The mention is “${shortened(text)}”.`);
  if (!after.ids?.length || after.ids[0] === NIL) askCandidates(after, { alsoIds: true });
  else askCandidates(after, { alsoIds: false });
}

/** Add a mention; the service proposes what it is. */
export function addMention(spans, type) {
  const document = currentDocument();
  const sound = merged(spans, document);
  if (!sound.length) return;
  const mention = { key: newKey(), spans: sound, text: wordsOf(document, sound), type, ids: [], candidates: [], byHand: true };
  change({ what: "add a mention", document: document.key, added: [mention] });
  askCandidates(mention, { alsoIds: true });
}

/** Add a mention at each place where the words stand and no mention is yet; how many there are. */
export function addEverywhere(places, type) {
  const document = currentDocument();
  const added = places.map((span) => ({
    key: newKey(), spans: [span], text: slice(document, ...span), type, ids: [], candidates: [], byHand: true,
  }));
  if (added.length) {
    change({ what: `add ${added.length} mentions`, document: document.key, added });
    for (const mention of added.slice(0, 50)) askCandidates(mention, { alsoIds: true });
  }
  return added.length;
}

async function askCandidates(mention, { alsoIds }) {
  const document = currentDocument();
  const asked = { text: document.text, mentions: [{ spans: mention.spans, type: mention.type ?? "" }] };
  try {
    const answer = await api.link([asked], requestOptions());
    const [linked] = answer.documents[0].mentions;
    const now = currentMention(mention.key);
    if (!now || JSON.stringify(now.spans) !== JSON.stringify(mention.spans)) return;
    const proposed = alsoIds && !now.ids?.some((id) => id !== NIL) ? { ids: linked.ids ?? [] } : {};
    amend(mention.key, { candidates: linked.candidates ?? [], types: linked.types, ...proposed, type: now.type || linked.type || "" });
    if (alsoIds && selectedMention()?.key === mention.key && linked.ids?.[0] && linked.ids[0] !== NIL) {
      done("Added, with the link that the service proposes.", suggestRule("synonym", currentMention(mention.key)));
    }
  } catch (error) {
    toast(`Added without candidates: ${error.message}`, [["Undo", undo]], { problem: true });
  }
}

const currentMention = (key) => currentDocument()?.mentions.find((mention) => mention.key === key);

/** Spans in order, joined where they touch, inside the text and without blanks at their ends. */
export function merged(spans, document) {
  const trimmed = spans.map(([start, end]) => {
    const words = slice(document, start, end);
    const before = [...words].findIndex((c) => !/\s/.test(c));
    if (before < 0) return null;
    const after = [...words].reverse().findIndex((c) => !/\s/.test(c));
    return [start + before, end - after];
  }).filter(Boolean).sort((a, b) => a[0] - b[0]);
  const joined = [];
  for (const [start, end] of trimmed) {
    const last = joined.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}

export const shortened = (text, most = 40) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
