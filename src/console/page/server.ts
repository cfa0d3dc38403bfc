/**
 * The status page: a read-only view of the caches for people. It answers only GET and HEAD, shows no Secret and nothing
 * of a spec but names, and sends no requests to the API server. Everyone who reaches it sees all objects that the
 * operator watches, so it is off unless a flag sets its address.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";

import { TYPES } from "../../config/kinds.ts";
import { type Answer, type BindAddress, type HttpServer, limitedServer, listen } from "../../http/server.ts";
import type { Clock } from "../../kube/api/types.ts";
import type { Store } from "../../kube/watch/store.ts";
import { type ConsoleLinks, detailOf } from "./detail.ts";
import { createStreams, type Streams } from "./events.ts";
import type { About, PageEvent, TreePage } from "./shape.ts";
import { createTrees, parsePageQuery, partOf, type Trees } from "./tree.ts";

export interface StatusPageOptions {
  readonly clock: Clock;
  readonly store: Store;
  readonly about: () => About;
  /** @returns the last events of the object of that uid, newest first */
  readonly events: (uid: string) => readonly PageEvent[];
  readonly consoleLinks: ConsoleLinks;
}

const MAX_CONNECTIONS = 128;

/** Forbids other origins, inline scripts and styles, text as HTML, framing and caching. */
const HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

const TEXT = "text/plain; charset=utf-8";
const WRONG_HOST =
  "This page answers under localhost, an address, or the name of a Service (name.namespace.svc).\n" +
  "A proxy in front of it sends one of these as Host.\n";

/** Starts the status page. @throws Error with what to do when the address cannot be used */
export async function startStatusPage(address: BindAddress, options: StatusPageOptions): Promise<HttpServer> {
  const { clock, store } = options;
  const trees = createTrees(store, clock);
  const streams = createStreams(clock);
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = "", search = ""] = (request.url ?? "").split("?", 2);
    const refusal = refuse(request);
    if (refusal === undefined && path === "/api/events") follow(streams, request, response);
    else send(request, response, refusal ?? (await answer(options, trees, path, search)));
  };
  // Without a limit of time for an answer, as one may be a stream.
  const server = limitedServer(
    { connections: MAX_CONNECTIONS },
    (request, response) => void respond(request, response),
  );
  const listening = await listen(server, address);
  const unsubscribe = store.subscribe(() => {
    trees.changed();
    streams.changed();
  });
  return {
    url: listening.url,
    stop: async () => {
      unsubscribe();
      streams.close();
      await listening.stop();
    },
  };
}

function send(request: IncomingMessage, response: ServerResponse, { status, type = TEXT, body }: Answer): void {
  response.writeHead(status, {
    ...HEADERS,
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    ...(status === 405 ? { allow: "GET, HEAD" } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** Returns the answer that refuses a request, whatever its path; undefined for an allowed request. */
function refuse({ method, headers }: IncomingMessage): Answer | undefined {
  if (!isOwnHost(headers.host)) return { status: 421, body: WRONG_HOST };
  if (method !== "GET" && method !== "HEAD") return { status: 405, body: "only GET and HEAD\n" };
  return undefined;
}

async function answer(options: StatusPageOptions, trees: Trees, path: string, search: string): Promise<Answer> {
  const asset = ASSETS.get(path);
  if (asset !== undefined) return { status: 200, ...asset };
  const parameters = new URLSearchParams(search);
  try {
    if (path === "/api/tree") return await treeAnswer(options, trees, parameters);
    if (path === "/api/object") return objectAnswer(options, parameters.get("id") ?? "");
    return { status: 404, body: "not found\n" };
  } catch {
    return { status: 500, body: "failed\n" };
  }
}

async function treeAnswer({ about, clock }: StatusPageOptions, trees: Trees, search: URLSearchParams): Promise<Answer> {
  const query = parsePageQuery(search);
  if (query === undefined) return { status: 400, body: "no such show, page or text\n" };
  const part = partOf(await trees.read(), query);
  return json({ operator: about(), now: clock.now().toISOString(), ...part } satisfies TreePage);
}

/** @param id "PlatformProject/shop/web": kind, namespace, name */
function objectAnswer({ store, events, consoleLinks }: StatusPageOptions, id: string): Answer {
  const [kind = "", namespace = "", name = ""] = id.split("/");
  const object = TYPES.some((type) => type.kind === kind) ? store.get({ kind, namespace, name }) : undefined;
  if (object === undefined) return { status: 404, body: "no such object\n" };
  return json(detailOf(object, events(object.metadata.uid), consoleLinks));
}

const json = (body: object): Answer => ({
  status: 200,
  type: "application/json; charset=utf-8",
  body: JSON.stringify(body),
});

function follow(streams: Streams, request: IncomingMessage, response: ServerResponse): void {
  const headers = { ...HEADERS, "content-type": "text/event-stream; charset=utf-8" };
  if (request.method === "HEAD") {
    response.writeHead(200, headers).end();
    return;
  }
  response.statusCode = 200;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (streams.open(response)) return;
  response.writeHead(503, { ...HEADERS, "content-type": TEXT, "retry-after": "30" }).end("too many followers\n");
}

/**
 * The files of the page. They are written in browser/ and, by `npm run generate`, bundled into assets.json, which is
 * part of the operator's own bundle: under Node's permission model it reads no other file of its own.
 */
import files from "./assets.json" with { type: "json" };

/** Path → what is served there. */
export const ASSETS: ReadonlyMap<string, Omit<Answer, "status">> = new Map([
  ["/", { type: "text/html; charset=utf-8", body: files["index.html"] }],
  ["/app.js", { type: "text/javascript; charset=utf-8", body: files["app.js"] }],
  ["/style.css", { type: "text/css; charset=utf-8", body: files["style.css"] }],
  ["/icon.svg", { type: "image/svg+xml", body: files["icon.svg"] }],
]);

/**
 * Protects against DNS rebinding: a website can resolve its own name to loopback and then read the answers, because the
 * browser considers them same-origin. It cannot do so with names that it does not own: addresses, localhost, Services.
 * @param host the header Host. @returns whether to answer
 */
export function isOwnHost(host: string | undefined): boolean {
  const name = (host ?? "").toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  const address = /^\[(.*)\]$/.exec(name)?.[1] ?? name;
  return isIP(address) !== 0 || name === "localhost" || /[^.]\.(localhost|svc|svc\.cluster\.local)$/.test(name);
}
