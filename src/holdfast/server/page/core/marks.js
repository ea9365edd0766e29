// Which mention is marked where: marks that overlap, as a tree; what a mention looks like.

import { offsetsOf } from "./offsets.js";

export const TYPES = [
  "Disease", "Phenotype", "Chemical", "Gene", "Species",
  "CellLine", "CellType", "Anatomy", "Process", "Variant", "Other",
];

const SAME = new Map(Object.entries({
  diseaseorphenotypicfeature: "Disease", specificdisease: "Disease", diseaseclass: "Disease",
  chemicalentity: "Chemical", drug: "Chemical", geneorgeneproduct: "Gene", protein: "Gene",
  organismtaxon: "Species", organism: "Species", sequencevariant: "Variant", mutation: "Variant",
  cell: "CellType", tissue: "Anatomy", organ: "Anatomy", biologicalprocess: "Process",
}));

/** One of TYPES where the spelling of a corpus is known; else as it is. */
export function canonicalType(type) {
  const key = (type ?? "").toLowerCase().replace(/[ _-]/g, "");
  return TYPES.find((known) => known.toLowerCase() === key) ?? SAME.get(key) ?? type ?? "";
}

/** "linked", "nil" where none fits, "open" where nobody has linked it. */
export function stateOf(mention) {
  if (!mention.ids?.length) return "open";
  return mention.ids[0] === "NIL" ? "nil" : "linked";
}

/** The candidate of the first id. */
export const bestOf = (mention) =>
  mention.candidates?.find((candidate) => candidate.entity_id === mention.ids?.[0]) ?? null;

/** The vocabularies of a mention's ids: the prefixes, "none of these" or "not linked". */
export function vocabulariesOf(mention) {
  const how = stateOf(mention);
  if (how === "nil") return ["none of these"];
  if (how === "open") return ["not linked"];
  return [...new Set(mention.ids.map((id) => id.split(":")[0]))];
}

/** Marks as a tree: `[{start, end, mention, part, inside}]`, ascending, in UTF-16 units.

A mark inside another is its child; one that crosses another's end is cut there. */
export function nested(marks) {
  const waiting = [...marks].sort((a, b) => a.start - b.start || b.end - a.end);
  const pieces = [];
  while (waiting.length) {
    const mark = waiting.shift();
    const inside = [];
    while (waiting.length && waiting[0].start < mark.end) {
      const other = waiting.shift();
      inside.push({ ...other, end: Math.min(other.end, mark.end) });
      if (other.end > mark.end) insert(waiting, { ...other, start: mark.end });
    }
    pieces.push({ ...mark, inside: nested(inside) });
  }
  return pieces;
}

function insert(marks, mark) {
  const at = marks.findIndex((m) => m.start > mark.start || (m.start === mark.start && m.end <= mark.end));
  marks.splice(at < 0 ? marks.length : at, 0, mark);
}

/** The lines of a document with the marks of each: `[{start, end, marks}]`, in UTF-16 units. */
export function markedLines(document) {
  const { text } = document;
  const lines = [];
  for (let start = 0; start < text.length || start === 0;) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found + 1;
    lines.push({ start, end, marks: [] });
    if (end >= text.length) break;
    start = end;
  }
  const offsets = offsetsOf(document);
  let split = 0;
  for (const mention of document.mentions) {
    const number = mention.spans.length > 1 ? ++split : 0;
    for (const span of mention.spans) {
      const [from, to] = span.map((point) => offsets.toUnits(point));
      for (let i = lineAt(lines, from); i < lines.length && lines[i].start < to; i++) {
        const start = Math.max(from, lines[i].start);
        const end = Math.min(to, lines[i].end);
        if (start < end) lines[i].marks.push({ start, end, mention, number });
      }
    }
  }
  return lines;
}

function lineAt(lines, unit) {
  let low = 0, high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (lines[middle].start <= unit) low = middle;
    else high = middle - 1;
  }
  return low;
}
