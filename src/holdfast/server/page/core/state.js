// The page's state and its history. Documents and mentions are never changed in place: an edit says what
// is taken out and what is put in, so that undoing it is the same edit the other way round.

import * as store from "./store.js";

export const state = {
  documents: [], // {key, id, text, passages, mentions, relations, metadata}; mentions have keys too
  current: null, // the key of the document on the screen
  selected: null, // the key of a mention of it
  past: [], // edits, the last one done last
  future: [], // edits that were undone, the next one to do again last
  rules: [], // {kind: "block" | "pin" | "synonym", name, id, label}
  hidden: { types: [], vocabularies: [] },
  minScore: 0,
  options: { kb: null, model: null, nested: false, only: [], types: true },
  draft: "",
  hasTyping: false, // whether the service has a typing model
};

const KEPT = ["current", "past", "future", "rules", "hidden", "minScore", "options", "draft"];
const shelf = new Map(); // documents that are closed, or whose opening was undone, by key
const MOST_EDITS = 500;
const listeners = [];
let counter = 0;

/** A key that no other document or mention of this browser has. */
export const newKey = () => `${Date.now().toString(36)}-${(counter++).toString(36)}`;

/** Call `listener(changed)` after every change, with a Set of the parts that changed.

Returns the function that ends it. */
export function onChange(listener) {
  listeners.push(listener);
  return () => listeners.splice(listeners.indexOf(listener), 1);
}

function changed(...parts) {
  const names = new Set(parts);
  for (const listener of [...listeners]) listener(names);
}

export const currentDocument = () => state.documents.find((d) => d.key === state.current) ?? null;

export const selectedMention = () =>
  currentDocument()?.mentions.find((mention) => mention.key === state.selected) ?? null;

/** Give the document and its mentions, as the service sends them, keys. */
const withKeys = (document) => ({
  ...document, key: newKey(),
  mentions: inOrder((document.mentions ?? []).map((mention) => ({ ...mention, key: newKey() }))),
});

/** The document as the service knows it: without keys and marks of this page. */
export function plain(document) {
  const { key: _, mentions, ...rest } = document;
  const bare = mentions.map(({ key: _key, byHand: _hand, ...mention }) => mention);
  const ids = new Set(bare.map((mention) => mention.id));
  const relations = (rest.relations ?? []).filter(
    (relation) => relation.arguments.every((a) => !a.mention_id || ids.has(a.mention_id)),
  );
  return { ...rest, mentions: bare, ...(rest.relations ? { relations } : {}) };
}

export function inOrder(mentions) {
  const order = (a, b) => a.spans[0][0] - b.spans[0][0] || b.spans.at(-1)[1] - a.spans.at(-1)[1];
  return [...mentions].sort(order);
}

const reversed = (edit) => ({
  ...edit,
  removed: edit.added, added: edit.removed,
  closed: edit.opened, opened: edit.closed,
  rulesRemoved: edit.rulesAdded, rulesAdded: edit.rulesRemoved,
});

const without = (items, gone) => {
  const keys = new Set((gone ?? []).map((item) => item.key));
  return keys.size ? items.filter((item) => !keys.has(item.key)) : items;
};

function openAndClose(opened = [], closed = []) {
  const isClosed = (document) => closed.includes(document.key);
  for (const document of state.documents.filter(isClosed)) shelf.set(document.key, document);
  const taken = opened.map((key) => shelf.get(key)).filter(Boolean);
  for (const key of opened) shelf.delete(key);
  state.documents = [...state.documents.filter((document) => !isClosed(document)), ...taken];
}

function apply(edit) {
  openAndClose(edit.opened, edit.closed);
  if (edit.opened?.length) state.current = edit.opened[0];
  else if (edit.document) state.current = edit.document;
  if (!currentDocument()) state.current = state.documents.at(-1)?.key ?? null;
  if (edit.document && (edit.removed || edit.added)) {
    state.documents = state.documents.map((document) => document.key !== edit.document ? document : {
      ...document,
      mentions: inOrder([...without(document.mentions, edit.removed), ...(edit.added ?? [])]),
    });
  }
  const rules = new Set((edit.rulesRemoved ?? []).map((rule) => JSON.stringify(rule)));
  state.rules = [...state.rules.filter((rule) => !rules.has(JSON.stringify(rule))), ...(edit.rulesAdded ?? [])];
  if (edit.added?.length) state.selected = edit.added[0].key;
  else if (!selectedMention()) state.selected = null;
}

/** Open documents, as the service sends them. */
export function openDocuments(documents, what) {
  const made = documents.map(withKeys);
  for (const document of made) shelf.set(document.key, document);
  change({ what, opened: made.map((document) => document.key) });
}

/** Do an edit: `{what, document, removed, added}`, `{what, opened, closed}` or `{what, rulesAdded}`.

Mentions and rules are values; `document`, `opened` and `closed` are keys. */
export function change(edit) {
  apply(edit);
  state.past = [...state.past, edit].slice(-MOST_EDITS);
  state.future = [];
  keep(edit);
  changed("documents", "selection", "rules", "history");
}

/** Undo the last edit; its name, or null if there is none. */
export function undo() {
  const edit = state.past.at(-1);
  if (!edit) return null;
  state.past = state.past.slice(0, -1);
  state.future = [...state.future, edit];
  apply(reversed(edit));
  keep(edit);
  changed("documents", "selection", "rules", "history");
  return edit.what;
}

/** Do the last undone edit again; its name, or null if there is none. */
export function redo() {
  const edit = state.future.at(-1);
  if (!edit) return null;
  state.future = state.future.slice(0, -1);
  state.past = [...state.past, edit];
  apply(edit);
  keep(edit);
  changed("documents", "selection", "rules", "history");
  return edit.what;
}

/** Add to a mention what the service found out later, in the history too; it is no edit of its own. */
export function amend(key, values) {
  const amended = (mention) => (mention.key === key ? { ...mention, ...values } : mention);
  state.documents = state.documents.map((document) =>
    document.mentions.some((m) => m.key === key) ? { ...document, mentions: document.mentions.map(amended) } : document);
  const inEdit = (edit) => ({ ...edit, added: edit.added?.map(amended), removed: edit.removed?.map(amended) });
  state.past = state.past.map(inEdit);
  const owner = state.documents.find((document) => document.mentions.some((m) => m.key === key));
  if (owner) keep({ document: owner.key });
  changed("documents", "selection");
}

/** Set values that are no edits: the selection, filters, options, the draft. */
export function set(values) {
  Object.assign(state, values);
  const names = Object.keys(values);
  if (names.some((name) => KEPT.includes(name))) keep({});
  changed(...names.map((name) => (name === "selected" ? "selection" : name === "current" ? "documents" : name)));
}

let keeping = Promise.resolve();
let onProblem = () => {};

/** Call `report` if the browser cannot keep the work. */
export function onStoreProblem(report) {
  onProblem = report;
}

function keep(edit) {
  const touched = new Set([edit.document, ...(edit.opened ?? []), ...(edit.closed ?? [])]);
  const all = [...state.documents, ...shelf.values()].filter((document) => touched.has(document.key));
  const entries = all.map((document) => [`document:${document.key}`, document]);
  const order = state.documents.map((document) => document.key);
  entries.push(["session", { order, ...Object.fromEntries(KEPT.map((name) => [name, state[name]])) }]);
  keeping = keeping.then(() => store.write(entries)).catch(onProblem);
}

/** When all that was done so far is kept. */
export const kept = () => keeping;

/** Take up where the last visit ended; false if there is nothing. */
export async function restore() {
  const found = await store.readAll();
  const session = found.get("session");
  if (!session) return false;
  const { order, ...values } = session;
  Object.assign(state, { ...values, options: { ...state.options, ...values.options } });
  state.documents = order.map((key) => found.get(`document:${key}`)).filter(Boolean);
  const undoable = new Set([...state.past, ...state.future].flatMap((e) => [...(e.opened ?? []), ...(e.closed ?? [])]));
  const stale = [];
  for (const [name, document] of found) {
    if (name === "session" || order.includes(document.key)) continue;
    if (undoable.has(document.key)) shelf.set(document.key, document);
    else stale.push(name);
  }
  if (stale.length) await store.write([], stale);
  if (!currentDocument()) state.current = state.documents[0]?.key ?? null;
  changed("documents", "selection", "rules", "history", "hidden", "minScore", "options", "draft");
  return state.documents.length > 0;
}
