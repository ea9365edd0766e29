// The service counts Unicode code points; JavaScript counts UTF-16 units. This converts.

/** Converts offsets of one text. Texts without characters beyond U+FFFF need no table. */
export class Offsets {
  /** `text` is a JavaScript string. */
  constructor(text) {
    this.pairs = []; // where a character that takes two units begins, in units
    for (let i = 0; i < text.length - 1; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0xd800 && unit <= 0xdbff) {
        const next = text.charCodeAt(i + 1);
        if (next >= 0xdc00 && next <= 0xdfff) this.pairs.push(i++);
      }
    }
    this.length = text.length - this.pairs.length; // in code points
  }

  /** Code points to units. */
  toUnits(point) {
    // The n-th pair begins at pairs[n] units, which is pairs[n] - n code points.
    let low = 0, high = this.pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.pairs[middle] - middle < point) low = middle + 1;
      else high = middle;
    }
    return point + low;
  }

  /** Units to code points. An offset inside a pair counts as behind it. */
  toPoints(unit) {
    let low = 0, high = this.pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.pairs[middle] < unit) low = middle + 1;
      else high = middle;
    }
    const inside = low > 0 && this.pairs[low - 1] === unit - 1;
    return unit - low + (inside ? 1 : 0);
  }
}

const known = new Map(); // by the document's key

/** The converter of a document, made once for each text. */
export function offsetsOf(document) {
  const made = known.get(document.key);
  if (made?.text === document.text) return made.offsets;
  const offsets = new Offsets(document.text);
  known.set(document.key, { text: document.text, offsets });
  return offsets;
}

/** A document's words between code points. */
export function slice(document, start, end) {
  const offsets = offsetsOf(document);
  return document.text.slice(offsets.toUnits(start), offsets.toUnits(end));
}

/** A mention's words; the pieces of an interrupted one are joined by a space. */
export function wordsOf(document, spans) {
  return spans.map(([start, end]) => slice(document, start, end)).join(" ");
}
