// Elements, made in one call. Text is always text: nothing here parses HTML.

/** An element: `h("button", {class: "primary", onclick: f, "aria-label": "…"}, "text", child)`. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else if (name === "dataset") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Replace all children of an element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

/** A button of plain text. */
export function button(text, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, text);
}

/** A modal dialog with a title and a way to close it; it is removed when it is closed. */
export function dialog(title, ...body) {
  const heading = h("h2", { id: "dialog-title" }, title);
  const close = button("Close", () => element.close(), { class: "quiet close" });
  const element = h("dialog", { "aria-labelledby": "dialog-title" },
    h("div", { class: "dialog-head" }, heading, close), h("div", { class: "dialog-body" }, ...body));
  element.addEventListener("close", () => element.remove());
  element.addEventListener("click", (event) => {
    if (event.target === element) element.close();
  });
  byId("dialogs").append(element);
  element.showModal();
  return element;
}

/** Tell assistive technology what happened. */
export function say(text) {
  byId("said").textContent = text;
}

let toastTimer = 0;

/** Show a short message with actions, `[["Undo", f]]`, for a few seconds. */
export function toast(text, actions = [], { problem = false } = {}) {
  clearTimeout(toastTimer);
  const element = byId("toast");
  const hide = () => fill(element);
  fill(element, h("div", { class: problem ? "message problem" : "message" },
    h("span", {}, text),
    actions.map(([name, action]) => button(name, () => { hide(); action(); }, { class: "quiet" })),
    button("×", hide, { class: "quiet", "aria-label": "Dismiss" })));
  toastTimer = setTimeout(hide, problem ? 12000 : 8000);
}

/** Give a file to the user: a text, or a Blob. */
export function download(name, content, type = "text/plain") {
  const file = content instanceof Blob ? content : new Blob([content], { type: `${type};charset=utf-8` });
  const address = URL.createObjectURL(file);
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** A function that waits until calls pause for some milliseconds. */
export function debounced(delay, action) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), delay);
  };
}
