// The service's routes. Every answer is JSON; every error has one shape, and becomes an Error here.

/** What the service refused, with its code and its words. */
export class ServiceError extends Error {
  constructor(code, message, details = []) {
    super(details.length ? `${message}: ${details.map((d) => `${d.where}: ${d.problem}`).join("; ")}` : message);
    this.code = code;
  }
}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServiceError("unreachable", "the service cannot be reached; your work is kept in this browser");
  }
  let body = null;
  try {
    body = await answer.json();
  } catch {
    throw new ServiceError("malformed", `the service answered ${answer.status} without JSON`);
  }
  if (!answer.ok) {
    const { code = "unknown", message = `status ${answer.status}`, details = [] } = body?.error ?? {};
    const wait = answer.headers.get("Retry-After");
    throw new ServiceError(code, wait ? `${message} (try again in ${wait} s)` : message, details);
  }
  return body;
}

const post = (path, data, signal) => ask(path, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(data), signal,
});

const query = (values) => new URLSearchParams(
  Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== ""),
).toString();

const entities = new Map(); // answers of /v1/entities, by knowledge base and id

/** What is served: models, knowledge bases, limits. */
export const models = () => ask("/v1/models");

/** The types of a knowledge base's entities, with counts. */
export const types = (kb) => ask(`/v1/types?${query({ kb })}`);

/** Find and link the mentions of documents `{id, text, passages}`. */
export const annotate = (documents, options) => post("/v1/annotate", { documents, ...options });

/** Link the given mentions of a document `{id, text, mentions: [{spans, type}]}`. */
export const link = (documents, options) => post("/v1/link", { documents, ...options });

/** Entities by name, while it is being typed. The query travels in the body, never in an address. */
export const search = (q, { kb, top = 8, signal } = {}) => post("/v1/search", { q, kb, top, prefix: true }, signal);

/** Why a mention (`{spans, type}`) or a term (`{term}`) became what it is. */
export const explain = (text, what, options) => post("/v1/explain", { text, ...what, ...options });

/** Read a file's content in a format, or write documents in one. */
export const convert = (request) => post("/v1/convert", request);

/** All that is known of an entity; asked once. */
export async function entity(id, kb) {
  const key = `${kb ?? ""} ${id}`;
  if (!entities.has(key)) {
    const answer = ask(`/v1/entities/${encodeURIComponent(id)}?${query({ kb })}`);
    entities.set(key, answer);
    answer.catch(() => entities.delete(key));
  }
  return entities.get(key);
}
