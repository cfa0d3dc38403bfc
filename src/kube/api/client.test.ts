import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { createSecureServer as createHttp2Server } from "node:http2";
import { createServer as createSecureServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { type Answer, type ScriptedServer, startScriptedServer } from "../../../test/support/kube/scripted-server.ts";
import { certificate, expiredCertificate, privateKey } from "../../../test/support/kube/tls.ts";
import { listen } from "../../../test/support/programs/free-port.ts";
import { createKubeClient, type ConnectedClient, type ClientOptions } from "./client.ts";
import { systemClock } from "./clock.ts";

let server: ScriptedServer;
let client: ConnectedClient;
let connections: number;
let dir: string;

afterEach(async () => {
  await client.close();
  await server.stop();
  await rm(dir, { recursive: true });
});

/** Starts a server on loopback, for answers that a real API server never sends, and connects to it. */
async function connect(answer: Answer, more: Partial<ClientOptions> = {}): Promise<void> {
  connections = 0;
  server = await startScriptedServer((listener) => createServer(listener).on("connection", () => (connections += 1)));
  server.script(answer);
  dir = await mkdtemp(join(tmpdir(), "kube-server-"));
  await setUser({ token: "first" });
  const config = { from: "file", path: join(dir, "kubeconfig") } as const;
  client = createKubeClient({ config, userAgent: "platform-operator/test", clock: systemClock(), ...more });
}

/** Writes the kubeconfig with these credentials. @param cluster the scripted server by default */
async function setUser(user: object, cluster?: object): Promise<void> {
  // client-node accepts plain HTTP only with this member.
  const plain = { server: `${server.url}/base`, "insecure-skip-tls-verify": true };
  const config = {
    clusters: [{ name: "x", cluster: cluster ?? plain }],
    users: [{ name: "x", user }],
    contexts: [{ name: "x", context: { cluster: "x", user: "x", namespace: "here" } }],
    "current-context": "x",
  };
  await writeFile(join(dir, "kubeconfig"), JSON.stringify(config));
}

/** Writes the kubeconfig for a server with TLS. */
const setSecure = (url: string, authority: string) =>
  setUser({ token: "first" }, { server: url, "certificate-authority-data": Buffer.from(authority).toString("base64") });

const get = (path = "/x") => client.request({ method: "GET", path });
const watch = () => text(client.stream({ path: "/x", signal: new AbortController().signal }));

describe("a request to the API server", () => {
  it("has the server's path, token, user agent and query, and leaves no timer", async () => {
    const clock = manualClock();
    await connect({ body: "{}" }, { clock });
    const query = { limit: 5, watch: true, continue: undefined, fieldManager: "a&b" };
    await client.request({ method: "GET", path: "/api/v1/things", query });
    const url = "/base/api/v1/things?limit=5&watch=true&fieldManager=a%26b";
    const usual = { "user-agent": "platform-operator/test", accept: "application/json" };
    expect(server.arrived).toMatchObject([{ url, headers: { authorization: "Bearer first", ...usual } }]);
    expect(server.arrived[0]?.headers).not.toHaveProperty("content-type");
    expect(client.namespace).toBe("here");
    expect(client.host).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(clock.pending()).toBe(0);
  });

  it("sends each PATCH as a merge patch, and any other body as JSON", async () => {
    await connect({});
    await client.request({ method: "PATCH", path: "/x", body: { a: null } });
    await client.request({ method: "POST", path: "/x", body: {} });
    expect(server.arrived.map(({ headers, body }) => [headers["content-type"], body])).toEqual([
      ["application/merge-patch+json", '{"a":null}'],
      ["application/json", "{}"],
    ]);
  });

  it("shares its connections: 100 requests open at most 3", async () => {
    await connect({});
    for (let call = 0; call < 100; call += 1) await get();
    expect(connections).toBeLessThanOrEqual(3);
  });

  it("[B11] ends at its deadline if the server is silent, before the headers or within the body", async () => {
    await connect((response) => void (response.req.url === "/base/body" && response.writeHead(200).write("{")));
    for (const path of ["/head", "/body"]) {
      const message = `GET ${path}: no answer within the deadline`;
      const sent = client.request({ method: "GET", path, timeoutMs: 50 });
      await expect(sent).rejects.toMatchObject({ failure: "Timeout", message });
    }
  });

  it("ends when the caller's signal is aborted", async () => {
    const stop = new AbortController();
    await connect(() => stop.abort());
    const sent = client.request({ method: "GET", path: "/x", signal: stop.signal });
    await expect(sent).rejects.toMatchObject({ failure: "Unreachable", message: "GET /x: canceled" });
  });

  it("returns null for an empty answer, and fails with BadResponse for one that is not JSON", async () => {
    await connect({});
    expect(await get()).toBeNull();
    server.script({ body: "<html>secret</html>" });
    await expect(get()).rejects.toMatchObject({ failure: "BadResponse", message: "GET /x: the answer is not JSON" });
  });

  it("[E7] quotes nothing of what was sent or answered in its errors", async () => {
    const causes = [{ reason: "FieldValueInvalid", field: "spec.x", message: 'got "s3cret"' }];
    const body = { kind: "Status", reason: "Invalid", message: 'Invalid value: "s3cret"', details: { causes } };
    await connect({ status: 422, body, headers: { "retry-after": "3" } });
    const sent = client.request({ method: "POST", path: "/x", body: { token: "s3cret" } });
    const error = await sent.catch((reason: unknown) => reason);
    const message = "POST /x: 422 Invalid; spec.x FieldValueInvalid";
    const details = { status: 422, retryAfterMs: 3_000, causes: ["FieldValueInvalid"] };
    expect(error).toMatchObject({ failure: "Invalid", message, ...details });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("s3cret");
  });

  it("is counted with its status code, or with <error> without one", async () => {
    const counted: string[] = [];
    const onRequest: ClientOptions["onRequest"] = ({ code, method, host, path, durationMs }) => {
      counted.push(`${code} ${method} ${host.replace(/:\d+$/, "")} ${path} ${durationMs >= 0 ? "timed" : ""}`);
    };
    await connect({ status: 404, body: {} }, { onRequest });
    await expect(client.request({ method: "GET", path: "/x", query: { q: "unsaid" } })).rejects.toThrow("404");
    await expect(watch()).rejects.toThrow("404");
    server.script((response) => void response.destroy());
    const message = expect.stringMatching(/^PATCH \/reset: (UND_ERR_SOCKET|ECONNRESET)$/);
    const reset = client.request({ method: "PATCH", path: "/reset" });
    await expect(reset).rejects.toMatchObject({ failure: "Unreachable", message });
    expect(counted).toEqual([
      "404 GET 127.0.0.1 /x timed",
      "404 WATCH 127.0.0.1 /x timed",
      "<error> PATCH 127.0.0.1 /reset timed",
    ]);
  });
});

/** Connects to a server that takes one token only. */
const connectTaking = (token: () => string, more: Partial<ClientOptions> = {}) =>
  connect((response: ServerResponse) => {
    const isKnown = response.req.headers.authorization === `Bearer ${token()}`;
    response.writeHead(isKnown ? 200 : 401).end(JSON.stringify({ ok: isKnown }));
  }, more);
const second = () => "second";

describe("a token that the API server refuses", () => {
  it("is read again once, and the request is repeated", async () => {
    await connectTaking(second);
    await setUser({ token: "second" });
    expect(await client.request({ method: "PATCH", path: "/x", body: {} })).toEqual({ ok: true });
  });

  it("and that stays refused fails, without reading the kubeconfig for every request", async () => {
    const clock = manualClock();
    await connectTaking(second, { clock });
    for (let call = 0; call < 3; call += 1) await expect(get()).rejects.toMatchObject({ failure: "Unauthorized" });
    expect(server.arrived).toHaveLength(4);
    await setUser({ token: "second" });
    await clock.advance(10_000);
    expect(await get()).toEqual({ ok: true });
  });

  it("is reported while there is no kubeconfig", async () => {
    const clock = manualClock();
    await connectTaking(second, { clock });
    await rm(join(dir, "kubeconfig"));
    await expect(get()).rejects.toMatchObject({ failure: "Unauthorized" });
    await setUser({ token: "second" });
    await clock.advance(10_000);
    expect(await get()).toEqual({ ok: true });
  });

  it("of a watch is renewed for the next watch", async () => {
    await connectTaking(second);
    await setUser({ token: "second" });
    await expect(watch()).rejects.toMatchObject({ failure: "Unauthorized" });
    expect(await watch()).toBe('{"ok":true}');
  });

  it("of a file is read again at once", async () => {
    let token = "first";
    await connectTaking(() => token);
    const tokenFile = join(dir, "token");
    await writeFile(tokenFile, "first\n");
    await setUser({ "auth-provider": { name: "tokenFile", config: { tokenFile } } });
    await client.close();
    // The clock does not advance, so the age of the token alone would not cause a new read.
    const config = { from: "file", path: join(dir, "kubeconfig") } as const;
    client = createKubeClient({ config, userAgent: "t", clock: manualClock() });
    expect(await get()).toEqual({ ok: true });
    token = "second";
    await writeFile(tokenFile, "second\n");
    expect(await get()).toEqual({ ok: true });
  });
});

it("a certificate authority that is replaced in the kubeconfig counts at once", async () => {
  await connect({ body: { ok: true } });
  const secure = await startScriptedServer((listener) =>
    createSecureServer({ cert: certificate, key: privateKey }, listener),
  );
  secure.script({ body: { ok: true } });
  onTestFinished(() => secure.stop());
  const trust = (authority: string) => setSecure(secure.url.replace("http:", "https:"), authority);
  await trust(expiredCertificate);
  await client.close();
  const clock = manualClock();
  client = createKubeClient({ config: { from: "file", path: join(dir, "kubeconfig") }, userAgent: "t", clock });
  const message = expect.stringMatching(/^GET \/x: [A-Z_]*(CERT|SELF_SIGNED)/);
  await expect(get()).rejects.toMatchObject({ failure: "Unreachable", message });
  await expect(watch()).rejects.toMatchObject({ failure: "Unreachable" });
  await trust(certificate);
  await clock.advance(10_000);
  expect(await get()).toEqual({ ok: true });
  expect(await watch()).toBe('{"ok":true}');
});

describe("a watch", () => {
  it("has no deadline while it is silent", async () => {
    const clock = manualClock();
    await connect((response) => void response.write("one\n"), { clock });
    const stop = new AbortController();
    const reading = client.stream({ path: "/x", signal: stop.signal })[Symbol.asyncIterator]();
    await reading.next();
    await clock.advance(3_600_000);
    const next = reading.next();
    stop.abort();
    await expect(next).rejects.toMatchObject({ failure: "Unreachable", message: "WATCH /x: canceled" });
  });

  it("that breaks off fails with Unreachable", async () => {
    await connect((response) => {
      response.write("one\n");
      setTimeout(() => response.destroy(), 20);
    });
    await expect(watch()).rejects.toMatchObject({ failure: "Unreachable" });
  });

  it("that is refused fails with the server's status and Retry-After", async () => {
    await connect({ status: 429, body: { reason: "TooManyRequests" }, headers: { "retry-after": "2" } });
    await expect(watch()).rejects.toMatchObject({ failure: "TooManyRequests", retryAfterMs: 2_000 });
  });

  it("closes its connection when it ends, and shares none with other requests", async () => {
    await connect({ body: "{}" });
    for (let count = 0; count < 20; count += 1) await watch();
    expect(connections).toBeLessThanOrEqual(2);
    const before = connections;
    await get();
    expect(connections).toBe(before + 1);
  });

  it("that is canceled in the turn that sends it is closed at the server, over HTTP/2", async () => {
    await connect({});
    const secure = createHttp2Server({ cert: certificate, key: privateKey });
    const closed: unknown[] = [];
    secure.on("stream", (stream, { ":path": path }) => {
      stream.on("error", () => {}).on("close", () => closed.push(path));
      if (path === "/open") stream.write("one\n");
    });
    const port = await listen(secure);
    onTestFinished(() => void secure.close());
    await setSecure(`https://127.0.0.1:${port}`, certificate);
    await client.close();
    const config = { from: "file", path: join(dir, "kubeconfig") } as const;
    client = createKubeClient({ config, userAgent: "t", clock: systemClock() });
    const follow = (path: string, signal: AbortSignal) =>
      client.stream({ path, signal })[Symbol.asyncIterator]().next();
    await follow("/open", new AbortController().signal);
    const stop = new AbortController();
    const canceled = follow("/canceled", stop.signal);
    for (let microtask = 0; microtask < 100; microtask += 1) await Promise.resolve();
    stop.abort();
    await expect(canceled).rejects.toMatchObject({ failure: "Unreachable", message: "WATCH /canceled: canceled" });
    await vi.waitFor(() => expect(closed).toEqual(["/canceled"]), { timeout: 10_000 });
  });
});

it.each([
  ["of an unknown context", { from: "file", context: "nope" } as const, 'no cluster for context "nope"'],
  ["outside a cluster", { from: "cluster" } as const, "KUBERNETES_SERVICE_HOST is not set"],
])("a configuration %s fails with the reason", async (_, config, message) => {
  await connect({});
  const source = config.from === "file" ? { ...config, path: join(dir, "kubeconfig") } : config;
  expect(() => createKubeClient({ config: source, userAgent: "t", clock: systemClock() })).toThrow(message);
});
