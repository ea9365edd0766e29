// Search for a concept while its name is typed: an input with a list below it.

import * as api from "../core/api.js";
import { debounced, fill, h } from "../core/dom.js";
import { typeTag } from "./concept.js";
import { state } from "../core/state.js";

let number = 0;

/** A search box; `choose(found)` is called with what a person takes, `{id, label, name, …}`. */
export function picker(title, choose, { value = "", autofocus = false } = {}) {
  const id = `found-${number++}`;
  const list = h("ul", { id, role: "listbox", "aria-label": "Concepts found", class: "found", hidden: true });
  const input = h("input", {
    type: "search", role: "combobox", autocomplete: "off", spellcheck: "false", "aria-expanded": "false",
    "aria-controls": id, "aria-autocomplete": "list", "aria-label": title, placeholder: title, value,
  });
  let found = [];
  let active = -1;
  let asked = null;

  const take = (item) => { show([]); input.value = ""; choose(item); };

  function show(items) {
    found = items;
    active = -1;
    fill(list, items.map((item, i) => h("li", {
      role: "option", id: `${id}-${i}`, "aria-selected": "false", onclick: () => take(item),
    }, h("span", { class: "title" }, item.label), h("span", { class: "id" }, item.id),
    item.name !== item.label ? h("span", { class: "via" }, `“${item.name}”`) : null, item.types.slice(0, 2).map(typeTag))));
    list.hidden = items.length === 0;
    input.setAttribute("aria-expanded", String(items.length > 0));
    input.removeAttribute("aria-activedescendant");
  }

  function move(step) {
    if (!found.length) return;
    list.children[active]?.setAttribute("aria-selected", "false");
    active = (active + step + found.length) % found.length;
    list.children[active].setAttribute("aria-selected", "true");
    list.children[active].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", `${id}-${active}`);
  }

  const search = debounced(120, async () => {
    asked?.abort();
    const q = input.value.trim();
    if (!q) { show([]); return; }
    asked = new AbortController();
    try {
      show((await api.search(q, { kb: state.options.kb, signal: asked.signal })).found);
    } catch (error) {
      if (error.name !== "AbortError") {
        show([]);
        fill(list, h("li", { role: "option", "aria-disabled": "true" }, error.message));
        list.hidden = false;
      }
    }
  });

  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter" && found.length) take(found[Math.max(active, 0)]);
    else if (event.key === "Escape" && !list.hidden) show([]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  if (autofocus) requestAnimationFrame(() => input.focus());
  return h("div", { class: "picker" }, input, list);
}
