// Where a text comes from: pasted, typed, dropped, or opened from a file.

import * as api from "../core/api.js";
import { button, byId, fill, h, toast, debounced } from "../core/dom.js";
import { requestOptions } from "./edits.js";
import { onChange, openDocuments, set, state } from "../core/state.js";

const EXAMPLE = "Lithium carbonate toxicity in a newborn infant. A mother with bipolar disorder took lithium carbonate "
  + "until delivery. Her newborn was cyanotic and lethargic, with a flat T wave. Serum lithium was high; the symptoms "
  + "went within days. Interleukin-6 and TNF-alpha were normal. Breast and ovarian cancer ran in the family, and a "
  + "sister carried BRCA1 c.68_69delAG.";

/** The format of a file, by its name and then by what stands in it. */
export function formatOf(name, content) {
  const lower = name.toLowerCase();
  if (lower.endsWith(".pubtator") || lower.endsWith(".pubtator.txt") || /^[^|\n]*\|t\|/m.test(content.slice(0, 2000))) return "pubtator";
  const head = content.trimStart().slice(0, 2000);
  if (lower.endsWith(".xml") || head.startsWith("<?xml") || head.startsWith("<collection")) return "bioc-xml";
  if (lower.endsWith(".jsonl")) return "jsonl";
  if (lower.endsWith(".json") || /^[{[]/.test(head)) {
    return /"passages"\s*:\s*\[\s*\{\s*"(offset|infons|text|sentences)"/.test(content) ? "bioc-json" : "json";
  }
  return "text";
}

export function showStart(models) {
  const kbs = models.knowledge_bases.map((kb) => kb.name);
  const names = models.models.map((model) => model.name);
  const text = h("textarea", {
    id: "draft", rows: "10", placeholder: "Paste a text, or drop a file here: text, PubTator, BioC, or Holdfast's JSON.",
    "aria-labelledby": "start-title", value: state.draft,
    oninput: debounced(200, () => set({ draft: text.value })),
  });
  const file = h("input", { type: "file", multiple: true, id: "file", class: "visually-hidden", onchange: () => openFiles(file.files) });
  fill(byId("start"),
    h("h2", { id: "start-title" }, "What does your text speak of?"),
    h("p", { class: "help" }, "Holdfast finds diseases, chemicals, genes and more, links them to concepts, and says why. "
      + "The text goes to this service and nowhere else."),
    text,
    h("div", { class: "row wrap" },
      button("Annotate", () => begin(text.value, { annotate: true }), { class: "primary", id: "annotate-button" }),
      button("Start blank", () => begin(text.value, { annotate: false }), { title: "mark every mention yourself" }),
      h("label", { class: "button", for: "file" }, "Open files …"), file,
      button("Example", () => { text.value = EXAMPLE; set({ draft: EXAMPLE }); text.focus(); }, { class: "quiet" }),
      button("Back to the text", () => showWork(), { class: "quiet", id: "back-button" })),
    h("fieldset", { class: "row wrap options" }, h("legend", {}, "How"),
      choice("Knowledge base", kbs, "kb"), choice("Model", names, "model"),
      checkbox("also mentions inside others", "nested"),
      models.typing_model ? checkbox("also what kind of thing each is, in words", "types") : null));
  dropped(document.body);
  onChange((parts) => { if (parts.has("documents") && state.documents.length === 0) showStartPanel(); });
}

function choice(title, names, key) {
  return h("label", {}, `${title} `, h("select", {
    disabled: names.length < 2, onchange: (event) => set({ options: { ...state.options, [key]: event.target.value } }),
  }, names.map((name) => h("option", { value: name, selected: name === state.options[key] }, name))));
}

function checkbox(title, key) {
  return h("label", {}, h("input", {
    type: "checkbox", checked: state.options[key] || null, name: key,
    onchange: (event) => set({ options: { ...state.options, [key]: event.target.checked } }),
  }), ` ${title}`);
}

export function showStartPanel() {
  byId("start").hidden = false;
  byId("work").hidden = true;
  byId("back-button").hidden = state.documents.length === 0;
  byId("draft").focus();
}

export function showWork() {
  byId("start").hidden = true;
  byId("work").hidden = false;
}

/** Open a text. What is pasted may be a file of a known format, too. */
async function begin(text, { annotate }) {
  if (!text.trim()) {
    toast("There is no text yet.", [], { problem: true });
    return;
  }
  await busy(async () => {
    const format = formatOf("", text);
    const read = format === "text" ? [{ id: "", text }] : await readAs(format, text);
    await openRead(read, { annotate: annotate && !read.some((document) => document.mentions?.length) });
    set({ draft: "" });
    byId("draft").value = "";
  });
}

async function readAs(format, content) {
  const answer = await api.convert({ content, from: format, to: "jsonl" });
  return answer.content.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

/** Open documents; those without mentions are annotated if that is wanted. */
async function openRead(documents, { annotate }) {
  if (!documents.length) throw new Error("there is no document in it");
  let opened = documents;
  if (annotate) {
    const bare = documents.map(({ id, text, passages }) => ({ id, text, ...(passages ? { passages } : {}) }));
    const answer = await api.annotate(bare, { ...requestOptions(), nested: state.options.nested });
    opened = answer.documents.map((found, i) => ({ ...documents[i], mentions: found.mentions ?? [] }));
  }
  openDocuments(opened, documents.length > 1 ? `open ${documents.length} documents` : "open a text");
  showWork();
  byId("text").focus({ preventScroll: true });
}

async function openFiles(files) {
  await busy(async () => {
    for (const file of files) {
      const content = await file.text();
      const format = formatOf(file.name, content);
      const read = format === "text" ? [{ id: file.name.replace(/\.[^.]*$/, ""), text: content }] : await readAs(format, content);
      await openRead(read, { annotate: !read.some((document) => document.mentions?.length) });
    }
  });
}

async function busy(action) {
  document.body.classList.add("busy");
  byId("annotate-button").disabled = true;
  try {
    await action();
  } catch (error) {
    toast(error.message, [], { problem: true });
  } finally {
    document.body.classList.remove("busy");
    byId("annotate-button").disabled = false;
  }
}

function dropped(element) {
  element.addEventListener("dragover", (event) => {
    if (event.dataTransfer.types.includes("Files")) { event.preventDefault(); document.body.classList.add("dropping"); }
  });
  element.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  element.addEventListener("drop", (event) => {
    document.body.classList.remove("dropping");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    openFiles([...event.dataTransfer.files]);
  });
}
