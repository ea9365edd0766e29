// What the page remembers, in this browser alone: documents and edits in IndexedDB, so that nothing is
// lost on reload. Where IndexedDB is switched off, the page works and says that it forgets.

const NAME = "holdfast";
const STORE = "session";
const THEME = "holdfast.theme";

let opened = null;

function open() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("another tab keeps the old version open"));
  });
  return opened;
}

function finished(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** Everything that was kept, by key; empty on the first visit. */
export async function readAll() {
  const database = await open();
  const store = database.transaction(STORE).objectStore(STORE);
  const [keys, values] = await Promise.all(
    [store.getAllKeys(), store.getAll()].map((request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    })),
  );
  return new Map(keys.map((key, i) => [key, values[i]]));
}

/** Write and remove entries together: all of them or none. */
export async function write(entries, removed = []) {
  const database = await open();
  const transaction = database.transaction(STORE, "readwrite");
  const store = transaction.objectStore(STORE);
  for (const [key, value] of entries) store.put(value, key);
  for (const key of removed) store.delete(key);
  return finished(transaction);
}

/** Remove all that this page ever kept in the browser. */
export async function forget() {
  localStorage.removeItem(THEME);
  sessionStorage.clear();
  const database = await open();
  const transaction = database.transaction(STORE, "readwrite");
  transaction.objectStore(STORE).clear();
  return finished(transaction);
}

/** Keep the chosen appearance, which theme.js reads before the page is drawn. */
export function keepTheme(theme) {
  try {
    localStorage.setItem(THEME, theme);
  } catch {
    // Without storage it holds until the page is closed.
  }
}
