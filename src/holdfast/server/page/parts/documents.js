// Which document is on the screen, where several are open.

import * as api from "../core/api.js";
import { button, byId, fill, h, toast } from "../core/dom.js";
import { requestOptions, shortened } from "./edits.js";
import { change, currentDocument, newKey, onChange, set, state, undo } from "../core/state.js";

export function showDocuments() {
  onChange((parts) => { if (parts.has("documents")) draw(); });
}

const titleOf = (document, i) => document.id || shortened(document.text.trim().split("\n")[0], 70) || `document ${i + 1}`;

function draw() {
  const at = state.documents.findIndex((document) => document.key === state.current);
  if (at < 0) return fill(byId("documents"));
  const go = (to) => set({ current: state.documents[to].key, selected: null });
  const several = state.documents.length > 1;
  return fill(byId("documents"),
    several ? button("‹", () => go(at - 1), { class: "quiet", "aria-label": "Previous document", disabled: at === 0 }) : null,
    several
      ? h("select", { "aria-label": "Document", onchange: (event) => go(Number(event.target.value)) },
        state.documents.map((document, i) => h("option", { value: String(i), selected: i === at }, `${i + 1}. ${titleOf(document, i)}`)))
      : h("span", { class: "title" }, titleOf(state.documents[at], at)),
    several ? button("›", () => go(at + 1), { class: "quiet", "aria-label": "Next document", disabled: at === state.documents.length - 1 }) : null,
    h("span", { class: "spacer" }),
    button("List", () => document.body.classList.toggle("show-list"), { class: "quiet phone-only", title: "the concepts of this text" }),
    button("Annotate", () => annotateCurrent(), { class: "quiet", title: "find mentions, and keep those made by hand" }),
    button("Clear", () => clearCurrent(), { class: "quiet", title: "remove all mentions" }),
    button("Close", () => change({ what: "close a document", closed: [state.current] }), { class: "quiet" }));
}

function clearCurrent() {
  const document = currentDocument();
  if (!document.mentions.length) return;
  change({ what: "remove all mentions", document: document.key, removed: document.mentions });
  toast(`${document.mentions.length} mentions are removed.`, [["Undo", undo]]);
}

/** Find mentions anew. What a person made or changed stays; what is found beside it is added. */
async function annotateCurrent() {
  const document = currentDocument();
  try {
    const asked = { id: document.id, text: document.text, ...(document.passages ? { passages: document.passages } : {}) };
    const answer = await api.annotate([asked], { ...requestOptions(), nested: state.options.nested });
    const now = currentDocument();
    if (now?.key !== document.key) return;
    const byHand = now.mentions.filter((mention) => mention.byHand);
    const overlaps = (a, b) => a.spans.some(([s, e]) => b.spans.some(([t, f]) => s < f && t < e));
    const found = (answer.documents[0].mentions ?? []).filter((mention) => !byHand.some((own) => overlaps(own, mention)));
    change({
      what: "annotate", document: document.key, removed: now.mentions.filter((mention) => !mention.byHand),
      added: found.map((mention) => ({ ...mention, key: newKey() })),
    });
    toast(`${found.length} mentions are found.`, [["Undo", undo]]);
  } catch (error) {
    toast(error.message, [], { problem: true });
  }
}
