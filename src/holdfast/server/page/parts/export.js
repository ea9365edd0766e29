// Gold annotations as files, in every format.

import * as api from "../core/api.js";
import { button, dialog, download, fill, h } from "../core/dom.js";
import { currentDocument, plain, state } from "../core/state.js";
import { zip } from "../core/zip.js";

const FORMATS = [
  ["json", "Holdfast JSON", ".json", "everything, with candidates and evidence"],
  ["jsonl", "JSON lines", ".jsonl", "the same, a document a line"],
  ["pubtator", "PubTator", ".pubtator", "title, abstract, mentions"],
  ["bioc-json", "BioC JSON", ".bioc.json", "passages and mentions, interrupted ones too"],
  ["bioc-xml", "BioC XML", ".bioc.xml", "the same as XML"],
  ["brat", "brat", ".brat.zip", "an .ann and a .txt file for each document"],
  ["mentions", "Table of mentions", ".mentions.tsv", "a row for each mention"],
  ["bigbio", "BigBIO", ".bigbio.json", "the schema of BigBIO"],
  ["iob", "IOB", ".iob", "a token a line; no overlaps, no ids"],
  ["bioes", "BIOES", ".bioes", "the same with other tags"],
  ["bilou", "BILOU", ".bilou", "the same with other tags"],
  ["text", "Text", ".txt", "the text alone"],
];

/** The dialog that gives the documents as files. */
export function showExport() {
  const several = state.documents.length > 1;
  let all = several;
  const note = h("div", { role: "status" });
  const list = h("ul", { class: "formats" }, FORMATS.map(([format, name, suffix, about]) => h("li", {},
    h("button", { type: "button", dataset: { format }, onclick: () => give(format, suffix, false) },
      h("span", { class: "title" }, name), h("span", { class: "id" }, suffix), h("span", { class: "about" }, about)))));
  dialog("Export",
    several ? h("label", {}, h("input", { type: "checkbox", checked: true, onchange: (event) => { all = event.target.checked; } }),
      ` all ${state.documents.length} documents`) : null,
    list, note);

  async function give(format, suffix, allowLoss) {
    const chosen = all ? state.documents : [currentDocument()];
    fill(note, h("p", { class: "help" }, "Writing …"));
    try {
      if (format === "brat") await giveBrat(chosen, suffix, allowLoss);
      else download(`${fileName(chosen)}${suffix}`, (await written(chosen, format, allowLoss)).content);
      fill(note, h("p", {}, "Done: see your downloads."));
    } catch (error) {
      fill(note, h("p", { class: "problem" }, error.message), error.code === "loss"
        ? button("Export without it", () => give(format, suffix, true)) : null);
    }
  }
}

const written = (documents, format, allowLoss) =>
  api.convert({ documents: documents.map(plain), to: format, allow_loss: allowLoss });

/** brat keeps the text beside the annotations, in two files for each document. */
async function giveBrat(documents, suffix, allowLoss) {
  const files = [];
  for (const [i, document] of documents.entries()) {
    const name = documents.length > 1 ? `${i + 1}-${fileName([document])}` : fileName([document]);
    files.push([`${name}.txt`, document.text], [`${name}.ann`, (await written([document], "brat", allowLoss)).content]);
  }
  download(`${fileName(documents)}${suffix}`, zip(files));
}

function fileName(documents) {
  const name = documents.length === 1 ? documents[0].id : "";
  return name.replace(/[^\p{L}\p{N}._-]+/gu, "_") || "holdfast";
}
