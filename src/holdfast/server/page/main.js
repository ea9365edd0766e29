// The page put together.

import * as api from "./core/api.js";
import { openBrowser, setServed } from "./parts/browser.js";
import { showCard } from "./parts/card.js";
import { button, byId, dialog, h, say, toast } from "./core/dom.js";
import { showDocuments } from "./parts/documents.js";
import { showExport } from "./parts/export.js";
import { showFilters } from "./parts/filters.js";
import { showText } from "./parts/highlight.js";
import { showKeys, watchKeys } from "./parts/keyboard.js";
import { showOverview } from "./parts/overview.js";
import { countRules, showRules } from "./parts/rules.js";
import { watchSelection } from "./parts/selection.js";
import { showStart, showStartPanel, showWork } from "./parts/start.js";
import { onChange, onStoreProblem, redo, restore, set, state, undo } from "./core/state.js";
import * as store from "./core/store.js";

function showHistory() {
  const [back, again] = [byId("undo-button"), byId("redo-button")];
  const show = () => {
    back.disabled = !state.past.length;
    again.disabled = !state.future.length;
    back.title = state.past.length ? `Undo: ${state.past.at(-1).what}` : "";
    again.title = state.future.length ? `Redo: ${state.future.at(-1).what}` : "";
    byId("export-button").disabled = !state.documents.length;
  };
  onChange((parts) => { if (parts.has("history") || parts.has("documents")) show(); });
  back.addEventListener("click", () => say(`Undone: ${undo() ?? "nothing"}`));
  again.addEventListener("click", () => say(`Done again: ${redo() ?? "nothing"}`));
}

function showMenu() {
  const select = byId("theme-select");
  select.value = document.documentElement.dataset.theme;
  select.addEventListener("change", () => {
    document.documentElement.dataset.theme = select.value;
    store.keepTheme(select.value);
  });
  byId("keys-button").addEventListener("click", showKeys);
  byId("forget-button").addEventListener("click", askToForget);
  document.addEventListener("click", (event) => { if (!byId("menu").contains(event.target)) byId("menu").open = false; });
}

function askToForget() {
  const element = dialog("Forget everything?",
    h("p", {}, "All texts, mentions, corrections and rules that this page keeps in this browser are removed. "
      + "The service itself keeps nothing."),
    h("div", { class: "row" },
      button("Forget everything", async () => {
        await store.forget();
        location.reload();
      }, { class: "danger" }),
      button("Keep it", () => element.close())));
}

async function begin() {
  onStoreProblem((error) => toast(`This browser cannot keep your work: ${error?.message ?? error}. Export it before you leave.`, [], { problem: true }));
  for (const show of [showText, showFilters, showOverview, showCard, showDocuments, showHistory, showMenu, countRules, watchSelection, watchKeys]) show();
  byId("open-button").addEventListener("click", showStartPanel);
  byId("rules-button").addEventListener("click", showRules);
  byId("kb-button").addEventListener("click", () => openBrowser());
  byId("export-button").addEventListener("click", showExport);
  let found = false;
  try {
    found = await restore();
  } catch (error) {
    toast(`What was kept in this browser cannot be read: ${error.message}`, [], { problem: true });
  }
  let served = { models: [], knowledge_bases: [], typing_model: null };
  try {
    served = await api.models();
  } catch (error) {
    toast(error.message, [], { problem: true });
  }
  setServed(served);
  set({ hasTyping: Boolean(served.typing_model) });
  showStart(served);
  if (found) showWork();
  else showStartPanel();
  document.body.dataset.ready = "true";
}

begin();
