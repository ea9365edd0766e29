// A ZIP file of small texts, stored as they are: for formats that are several files.

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 255] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/** Numbers as little-endian bytes: `[[size in bytes, number], …]`. */
function packed(fields) {
  const bytes = [];
  for (const [size, number] of fields) for (let i = 0; i < size; i++) bytes.push((number >>> (8 * i)) & 255);
  return Uint8Array.from(bytes);
}

const UTF8 = 0x0800; // the flag that says how names are encoded
const NEW_YEAR_1980 = 0x21; // the first day that the format knows: equal content gives equal files

/** The file as a Blob, from `[[name, text], …]`. */
export function zip(files) {
  const encoder = new TextEncoder();
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, text] of files) {
    const [title, content] = [encoder.encode(name), encoder.encode(text)];
    const common = [[2, 20], [2, UTF8], [2, 0], [2, 0], [2, NEW_YEAR_1980], [4, crc32(content)],
      [4, content.length], [4, content.length], [2, title.length], [2, 0]];
    const header = packed([[4, 0x04034b50], ...common]);
    parts.push(header, title, content);
    directory.push(packed([[4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]), title);
    offset += header.length + title.length + content.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = packed([[4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, offset], [2, 0]]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}
