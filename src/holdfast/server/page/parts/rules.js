// Corrections as lines of a rules file, which `holdfast link --rules` takes.

import { button, byId, dialog, download, fill, h, toast } from "../core/dom.js";
import { change, onChange, state, undo } from "../core/state.js";

const NAMES = { block: "Block it everywhere", pin: "Pin it everywhere", synonym: "Add it as a name" };

/** The one click that makes a correction a rule: `{name, make}`, or null where none fits. */
export function suggestRule(kind, mention) {
  const rule = ruleFor(kind, mention);
  return rule && { name: NAMES[kind], make: () => addRule(rule) };
}

/** The rule that blocks a mention's words, pins them, or adds them as a name; null if it is there. */
export function ruleFor(kind, mention) {
  const name = mention.text.split(/\s+/).join(" ").trim();
  const id = mention.ids?.find((one) => one !== "NIL") ?? "";
  if (!/[\p{L}\p{N}]/u.test(name) || (kind !== "block" && !id)) return null;
  const label = mention.candidates?.find((candidate) => candidate.entity_id === id)?.label ?? "";
  const rule = kind === "block" ? { kind, name, id: "", label: "" } : { kind, name, id, label };
  return state.rules.some((known) => sameRule(known, rule)) ? null : rule;
}

const sameRule = (a, b) => a.kind === b.kind && a.name === b.name && a.id === b.id;

/** Add a rule; an older one that contradicts it goes. */
export function addRule(rule) {
  const contradicts = (known) => known.name === rule.name
    && (known.kind === "block" || rule.kind === "block" || (known.kind === "pin" && rule.kind === "pin"));
  change({ what: "add a rule", rulesAdded: [rule], rulesRemoved: state.rules.filter(contradicts) });
  toast(`Rule: ${inWords(rule)}`, [["Rules", showRules], ["Undo", undo]]);
}

export function inWords({ kind, name, id, label }) {
  const concept = label ? `${label} (${id})` : id;
  if (kind === "block") return `“${name}” is never a mention`;
  return kind === "pin" ? `“${name}” is always ${concept}` : `“${name}” is a name of ${concept}`;
}

/** A string of TOML. */
function quoted(text) {
  const sound = text.toWellFormed?.() ?? text;
  return JSON.stringify(sound).replaceAll("\x7f", "\\u007f");
}

/** The rules as a file. */
export function toToml(rules) {
  const lines = [];
  const blocked = rules.filter((rule) => rule.kind === "block");
  if (blocked.length) lines.push(`block = [${blocked.map((rule) => quoted(rule.name)).join(", ")}]`, "");
  const pins = rules.filter((rule) => rule.kind === "pin");
  if (pins.length) lines.push("[pin]", ...pins.map((rule) => `${quoted(rule.name)} = ${quoted(rule.id)}`), "");
  const byId = Map.groupBy
    ? Map.groupBy(rules.filter((rule) => rule.kind === "synonym"), (rule) => rule.id)
    : grouped(rules.filter((rule) => rule.kind === "synonym"));
  if (byId.size) {
    lines.push("[synonyms]");
    for (const [id, same] of byId) lines.push(`${quoted(id)} = [${same.map((rule) => quoted(rule.name)).join(", ")}]`);
    lines.push("");
  }
  return lines.join("\n");
}

function grouped(rules) {
  const groups = new Map();
  for (const rule of rules) groups.set(rule.id, [...(groups.get(rule.id) ?? []), rule]);
  return groups;
}

/** The dialog with all rules. */
export function showRules() {
  const list = h("div", {});
  const draw = () => fill(list, state.rules.length ? table() : empty());
  const element = dialog("Rules", list);
  draw();
  element.addEventListener("close", onChange((parts) => { if (parts.has("rules")) draw(); }));
}

const empty = () => h("p", {}, "No rules yet. Correct a mention and make the correction a rule: "
  + "it then holds for every text that is linked with the file.");

function table() {
  return [
    h("ul", { class: "rules" }, state.rules.map((rule) => h("li", {},
      h("span", {}, inWords(rule)),
      button("Remove", () => change({ what: "remove a rule", rulesRemoved: [rule] }),
        { class: "quiet", "aria-label": `Remove the rule: ${inWords(rule)}` })))),
    h("pre", { class: "file", tabindex: "0", "aria-label": "The rules file" }, toToml(state.rules)),
    h("p", { class: "help" }, "Use it: ", h("code", {}, "holdfast link note.txt --rules rules.toml")),
    h("div", { class: "row" },
      button("Download rules.toml", () => download("rules.toml", toToml(state.rules), "application/toml"),
        { class: "primary" })),
  ];
}

/** Keep the number on the button current. */
export function countRules() {
  const show = () => { byId("rules-count").textContent = String(state.rules.length); };
  onChange((parts) => { if (parts.has("rules")) show(); });
  show();
}
