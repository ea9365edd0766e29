// All that the knowledge base says of one concept.

import * as api from "../core/api.js";
import { button, fill, h } from "../core/dom.js";
import { addressOf } from "../core/links.js";
import { canonicalType } from "../core/marks.js";
import { state } from "../core/state.js";

const NAMES = 8; // shown at first
const XREFS = 12;

/** A CURIE as a link to its page elsewhere. */
export function idLink(curie) {
  const address = addressOf(curie);
  if (!address) return h("code", {}, curie);
  return h("a", { href: address, target: "_blank", rel: "noopener noreferrer", class: "id" }, curie);
}

/** An element that fills itself with a concept; `open(id)` is called for its parents and children. */
export function conceptView(id, open) {
  const element = h("div", { class: "concept", "aria-busy": "true" }, h("p", { class: "help" }, "Looking it up …"));
  api.entity(id, state.options.kb).then(
    (entity) => fill(element, ...described(entity, open)),
    (error) => fill(element, h("p", { class: "help" }, error.code === "unknown_entity"
      ? `${id} is not in the knowledge base.` : error.message)),
  ).finally(() => element.removeAttribute("aria-busy"));
  return element;
}

function described(entity, open) {
  return [
    entity.definition ? h("p", { class: "definition" }, entity.definition) : null,
    h("dl", {},
      part("also called", more(entity.synonyms.map((name) => h("span", { class: "name" }, name)), NAMES)),
      part("types", entity.types.map((type) => typeTag(type))),
      part("above", related(entity.parents, open)),
      part("below", entity.n_children ? more(related(entity.children, open), NAMES, entity.n_children) : []),
      part("same as", more(entity.xrefs.map(idLink), XREFS)),
      part("vocabulary", [entity.source])),
  ];
}

export const typeTag = (type) =>
  h("span", { class: "type-tag", dataset: { type: canonicalType(type) } }, h("span", { class: "dot", "aria-hidden": "true" }), type);

function part(title, content) {
  // Blanks between the pieces let a line end between them.
  return content.length ? h("div", {}, h("dt", {}, title), h("dd", {}, content.flatMap((one) => [one, " "]))) : null;
}

const related = (entities, open) => entities.map(({ id, label }) =>
  button(label || id, () => open(id), { class: "related", title: id }));

/** The first few, and a button for the rest. `total` may be more than are here. */
function more(elements, most, total = elements.length) {
  if (elements.length <= most) return total > elements.length ? [...elements, `and ${total - elements.length} more`] : elements;
  const rest = button(`${total - most} more`, () => {
    const left = total - elements.length;
    rest.replaceWith(...elements.slice(most).flatMap((one) => [one, " "]), ...(left > 0 ? [`and ${left.toLocaleString()} more`] : []));
  }, { class: "quiet small" });
  return [...elements.slice(0, most), rest];
}
