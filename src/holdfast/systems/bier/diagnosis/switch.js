(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const unpack = part => ({
    types: new Uint32Array(bytes(part.types).buffer),
    values: Float32Array.from(bytes(part.values), v => v / 255),
    labels: part.labels,
  });
  const queries = unpack(data.queries), stored = unpack(data.stored), kept = data.kept;
  const rows = stored.labels.length;

  // The rows of each type, one list after the other.
  const starts = new Uint32Array(data.names.length + 1);
  for (const type of stored.types) starts[type + 1]++;
  for (let i = 0; i < data.names.length; i++) starts[i + 1] += starts[i];
  const next = starts.slice(), owner = new Uint32Array(stored.types.length);
  const value = new Float32Array(stored.types.length);
  stored.types.forEach((type, place) => {
    owner[next[type]] = Math.floor(place / kept);
    value[next[type]++] = stored.values[place];
  });

  const weights = new Float32Array(data.names.length).fill(1);
  const scores = new Float32Array(rows);
  function nearest(query) {
    scores.fill(0);
    for (let i = query * kept; i < (query + 1) * kept; i++) {
      const type = queries.types[i], own = queries.values[i] * weights[type];
      if (own === 0) continue;
      for (let at = starts[type]; at < starts[type + 1]; at++) scores[owner[at]] += own * value[at];
    }
    let best = 0;
    for (let row = 1; row < rows; row++) if (scores[row] > scores[best]) best = row;
    return best;
  }

  const shown = document.getElementById("switched");
  const percent = part => (100 * part).toFixed(2) + " %";
  let run = 0;
  function recount() {
    const mine = ++run, count = queries.labels.length;
    let query = 0, right = 0, either = 0, z = 0;
    function some() {
      if (mine !== run) return;
      const until = Math.min(count, query + 500);
      for (; query < until; query++) {
        const isRight = stored.labels[nearest(query)] === queries.labels[query];
        right += isRight; either += isRight || data.denseRight[query];
        z += !isRight && data.denseRight[query];
      }
      if (query < count) {
        shown.textContent = `finding neighbours: ${Math.round(100 * query / count)} %`;
        return setTimeout(some);
      }
      const off = [...weights].filter(weight => weight === 0).length;
      shown.dataset.sparse = (right / count).toFixed(6);
      shown.textContent = `${off} ${off === 1 ? "type is" : "types are"} off: sparse ${percent(right / count)} ` +
        `(was ${percent(data.figures.sparse)}), oracle ${percent(either / count)}, z ${z}`;
    }
    some();
  }

  const boxes = [...document.querySelectorAll("#switches input[data-type]")];
  for (const box of boxes) box.addEventListener("change", () => {
    weights[box.dataset.type] = box.checked ? 1 : 0;
    recount();
  });
  document.getElementById("all-on").addEventListener("click", () => {
    for (const box of boxes) { box.checked = true; weights[box.dataset.type] = 1; }
    recount();
  });
  document.getElementById("save").addEventListener("click", () => {
    const off = boxes.filter(box => !box.checked).map(box => data.names[box.dataset.type] + "\t0\n");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(off, {type: "text/tab-separated-values"}));
    link.download = "weights.tsv";
    link.click();
  });
})();
