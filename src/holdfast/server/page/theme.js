// Runs before the page is drawn, so that it never flashes in the wrong colours.
(() => {
  let theme = "auto";
  try {
    theme = localStorage.getItem("holdfast.theme") ?? "auto";
  } catch {
    // Storage may be switched off: the system's colours, then.
  }
  document.documentElement.dataset.theme = theme;
})();
