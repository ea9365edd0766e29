// A browser of the knowledge base: search, and walk up and down its hierarchy.

import * as api from "../core/api.js";
import { conceptView, idLink, typeTag } from "./concept.js";
import { button, dialog, fill, h } from "../core/dom.js";
import { choose } from "./edits.js";
import { picker } from "./picker.js";
import { selectedMention, state } from "../core/state.js";

const HIGHEST = 15; // steps that the way up is followed
let served = null; // the answer of /v1/models

export function setServed(models) {
  served = models;
}

/** Open the browser, at a concept if one is given. */
export function openBrowser(id = null) {
  const body = h("div", { class: "browser-body" });
  const visited = [];
  const open = (next) => { visited.push(next); show(next); };
  const back = button("Back", () => { visited.pop(); show(visited.at(-1) ?? null); }, { class: "quiet", disabled: true });
  const element = dialog("Concepts",
    h("div", { class: "row" }, picker("Search by name or id", (found) => open(found.id), { autofocus: !id }), back), body);
  element.classList.add("browser");

  function show(shown) {
    back.disabled = visited.length < 2;
    if (shown) fill(body, ...concept(shown, open, element));
    else fill(body, ...vocabularies());
  }
  if (id) open(id);
  else show(null);
}

function concept(id, open, element) {
  const title = h("h3", {}, id);
  const way = h("div", { class: "hierarchy" });
  const types = h("span", {});
  api.entity(id, state.options.kb).then((entity) => {
    title.textContent = entity.label;
    fill(types, entity.types.map(typeTag));
    return climb(entity, way, open);
  }).catch((error) => fill(way, h("p", { class: "problem" }, error.message)));
  const mention = selectedMention();
  return [
    h("div", { class: "row wrap" }, title, idLink(id), types,
      mention && !mention.ids?.includes(id) ? button(`Link “${mention.text}” to it`, () => {
        element.close();
        choose(mention, { entity_id: id, label: title.textContent, name: title.textContent });
      }, { class: "primary" }) : null),
    h("div", { class: "columns" }, way, conceptView(id, open)),
  ];
}

/** The way from the top down to a concept, and what is directly below it. */
async function climb(entity, element, open) {
  const above = [];
  const seen = new Set([entity.id]);
  for (let at = entity; at.parents.length && above.length < HIGHEST;) {
    const [parent] = at.parents;
    if (seen.has(parent.id)) break;
    seen.add(parent.id);
    above.unshift(parent);
    try {
      at = await api.entity(parent.id, state.options.kb);
    } catch {
      break; // the hierarchy refers to what is not in this knowledge base
    }
  }
  const tree = [...above].reverse().reduce(
    (inner, parent) => h("ul", {}, h("li", {}, step(parent, open), inner)),
    h("ul", {}, h("li", {}, h("strong", { "aria-current": "true" }, entity.label), children(entity, open))),
  );
  const others = entity.parents.slice(1);
  fill(element, h("h4", {}, "Hierarchy"), tree, others.length
    ? h("p", { class: "help" }, "Also below ", others.map((parent) => step(parent, open))) : null);
}

const step = ({ id, label }, open) => button(label || id, () => open(id), { class: "related", title: id });

function children(entity, open) {
  if (!entity.n_children) return null;
  const more = entity.n_children - entity.children.length;
  return h("ul", {}, entity.children.map((child) => h("li", {}, expander(child, open), step(child, open))),
    more > 0 ? h("li", { class: "help" }, `and ${more.toLocaleString()} more`) : null);
}

/** A button that shows what is below a child, in place. */
function expander(child, open) {
  const toggle = button("▸", async () => {
    const item = toggle.parentElement;
    const isOpen = toggle.getAttribute("aria-expanded") === "true";
    toggle.setAttribute("aria-expanded", String(!isOpen));
    toggle.textContent = isOpen ? "▸" : "▾";
    item.querySelector("ul, .help")?.remove();
    if (isOpen) return;
    try {
      const entity = await api.entity(child.id, state.options.kb);
      item.append(children(entity, open) ?? h("span", { class: "help" }, " nothing below"));
    } catch (error) {
      item.append(h("span", { class: "help" }, error.message));
    }
  }, { class: "quiet small", "aria-expanded": "false", "aria-label": `Below ${child.label || child.id}` });
  return toggle;
}

/** What the knowledge base holds, and under which licences. */
function vocabularies() {
  const kbs = served?.knowledge_bases ?? [];
  const kb = kbs.find((one) => one.name === state.options.kb) ?? kbs[0];
  if (!kb) return [h("p", { class: "help" }, "Search for a concept.")];
  return [
    h("p", {}, `${kb.name}: ${kb.entities.toLocaleString()} concepts, ${kb.names.toLocaleString()} names.`),
    h("table", {}, h("thead", {}, h("tr", {}, ["vocabulary", "version", "concepts", "licence"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, kb.sources.map((source) => h("tr", {}, h("th", { scope: "row" }, source.name), h("td", {}, source.version),
        h("td", { class: "number" }, source.entities.toLocaleString()), h("td", {}, source.licence))))),
  ];
}
