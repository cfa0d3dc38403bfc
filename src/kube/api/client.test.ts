import { once } from "node:events";
import { readFile, writeFile, mkdtemp, rm } from "node:fs/promises";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text as readBody } from "node:stream/consumers";

import { afterEach, describe, expect, it } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { listen } from "../../../test/support/programs/free-port.ts";
import { createKubeClient, type ConnectedClient, type ClientOptions } from "./client.ts";
import { systemClock } from "./clock.ts";
import type { KubeError } from "./errors.ts";

type KubeServer = Awaited<ReturnType<typeof kubeServer>>;

/** Starts a server on loopback, for answers that a real API server never sends. @param handle answers each request */
async function kubeServer(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer({ keepAliveTimeout: 60_000 }, handle);
  let connections = 0;
  server.on("connection", () => (connections += 1));
  const port = await listen(server);
  const dir = await mkdtemp(join(tmpdir(), "kube-server-"));
  const kubeconfigPath = join(dir, "kubeconfig");
  const setToken = (token: string): Promise<void> => writeFile(kubeconfigPath, kubeconfig(port, token));
  await setToken("first");
  return {
    /** A kubeconfig for it, with the token "first". */
    kubeconfigPath,
    /** The number of connections that were opened. */
    connections: () => connections,
    /** Rewrites the kubeconfig with another token. */
    setToken,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function kubeconfig(port: number, token: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    // client-node accepts plain HTTP only with this member.
    clusters: [
      { name: "c", cluster: { server: `http://127.0.0.1:${String(port)}/base`, "insecure-skip-tls-verify": true } },
    ],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u", namespace: "here" } }],
    "current-context": "x",
  });
}

/** Answers with JSON. */
function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

let server: KubeServer;
let client: ConnectedClient;

afterEach(async () => {
  await client.close();
  await server.stop();
});

async function connect(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  more: Partial<ClientOptions> = {},
): Promise<void> {
  server = await kubeServer(handle);
  client = createKubeClient({
    config: { from: "file", path: server.kubeconfigPath },
    userAgent: "platform-operator/test",
    clock: systemClock(),
    ...more,
  });
}

const failure = (promise: Promise<unknown>): Promise<KubeError> =>
  promise.then(
    () => {
      throw new Error("it should have failed");
    },
    (error: KubeError) => error,
  );

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("a request", () => {
  it("goes under the server's own path, with token, user agent and query", async () => {
    await connect((request, response) => json(response, 200, { url: request.url, headers: request.headers }));
    const answer = await client.request({
      method: "GET",
      path: "/api/v1/things",
      query: { limit: 5, watch: true, continue: undefined, fieldManager: "a&b" },
    });
    expect(answer).toMatchObject({
      url: "/base/api/v1/things?limit=5&watch=true&fieldManager=a%26b",
      headers: { authorization: "Bearer first", "user-agent": "platform-operator/test", accept: "application/json" },
    });
    expect(answer).not.toHaveProperty(["headers", "content-type"]);
    expect(client.namespace).toBe("here");
    expect(client.host).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  it("sends each PATCH as a merge patch, and any other body as JSON (K14)", async () => {
    await connect((request, response) => {
      void readBody(request).then((body) => json(response, 200, { type: request.headers["content-type"], body }));
    });
    const answer = client.request({ method: "PATCH", path: "/x", body: { a: null } });
    expect(await answer).toEqual({ type: "application/merge-patch+json", body: '{"a":null}' });
    expect(await client.request({ method: "POST", path: "/x", body: {} })).toMatchObject({ type: "application/json" });
  });

  it("shares its connections: 1,000 calls take 3 at most (K1)", async () => {
    await connect((_, response) => json(response, 200, {}));
    for (let call = 0; call < 1_000; call += 1) await client.request({ method: "GET", path: "/x" });
    expect(server.connections()).toBeLessThanOrEqual(3);
  });

  it("[B11] ends at its deadline when the server is silent, in the head or within the body (K2)", async () => {
    await connect((request, response) => {
      if (request.url === "/base/body") response.writeHead(200).write("{");
    });
    for (const path of ["/head", "/body"]) {
      const error = await failure(client.request({ method: "GET", path, timeoutMs: 50 }));
      expect(error).toMatchObject({ failure: "Timeout", message: `GET ${path}: no answer within the deadline` });
    }
  });

  it("ends with the caller's signal", async () => {
    const stop = new AbortController();
    await connect(() => {
      stop.abort();
    });
    const error = await failure(client.request({ method: "GET", path: "/x", signal: stop.signal }));
    expect(error).toMatchObject({ failure: "Unreachable", message: "GET /x: canceled" });
  });

  it("leaves no timer behind", async () => {
    const clock = manualClock();
    await connect((_, response) => json(response, 200, {}), { clock });
    await client.request({ method: "GET", path: "/x" });
    expect(clock.pending()).toBe(0);
  });

  it("takes an empty answer as null, and one that is not JSON as BadResponse", async () => {
    await connect((request, response) => {
      response.writeHead(200).end(request.url === "/base/empty" ? "" : "<html>secret</html>");
    });
    expect(await client.request({ method: "GET", path: "/empty" })).toBeNull();
    const error = await failure(client.request({ method: "GET", path: "/html" }));
    expect(error).toMatchObject({ failure: "BadResponse", message: "GET /html: the answer is not JSON" });
  });

  it("tells a reset and a refused connection as Unreachable", async () => {
    await connect((request) => request.socket.destroy());
    expect(await failure(client.request({ method: "GET", path: "/x" }))).toMatchObject({
      failure: "Unreachable",
      message: expect.stringMatching(/^GET \/x: (UND_ERR_SOCKET|ECONNRESET)$/),
    });
  });

  it("[E7] quotes nothing of what was sent or answered in its errors (K13)", async () => {
    await connect((_, response) =>
      json(
        response,
        422,
        {
          kind: "Status",
          reason: "Invalid",
          message: 'Invalid value: "s3cret"',
          details: { causes: [{ reason: "FieldValueInvalid", field: "spec.x", message: 'got "s3cret"' }] },
        },
        { "retry-after": "3" },
      ),
    );
    const error = await failure(client.request({ method: "POST", path: "/x", body: { token: "s3cret" } }));
    expect(error.message).toBe("POST /x: 422 Invalid; spec.x FieldValueInvalid");
    expect(error).toMatchObject({
      failure: "Invalid",
      status: 422,
      retryAfterMs: 3_000,
      causes: ["FieldValueInvalid"],
    });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("s3cret");
  });

  it("is counted with its code, without one as <error>", async () => {
    const counted: string[] = [];
    await connect(
      (request, response) => {
        if (request.url === "/base/reset") request.socket.destroy();
        else json(response, 404, {});
      },
      {
        onRequest: ({ code, method, host, path, durationMs }) => {
          counted.push(`${code} ${method} ${host.replace(/:\d+$/, "")} ${path} ${durationMs >= 0 ? "timed" : ""}`);
        },
      },
    );
    await failure(client.request({ method: "GET", path: "/x", query: { q: "unsaid" } }));
    await failure(client.request({ method: "PATCH", path: "/reset" }));
    await failure(readAll(client.stream({ path: "/x", signal: new AbortController().signal })));
    expect(counted).toEqual([
      "404 GET 127.0.0.1 /x timed",
      "<error> PATCH 127.0.0.1 /reset timed",
      "404 WATCH 127.0.0.1 /x timed",
    ]);
  });
});

describe("a refused token (K12)", () => {
  const second = (request: IncomingMessage, response: ServerResponse): void => {
    const known = request.headers.authorization === "Bearer second";
    json(response, known ? 200 : 401, known ? { ok: true } : { reason: "Unauthorized" });
  };

  it("is read again once, and the call repeated", async () => {
    await connect(second);
    await server.setToken("second");
    expect(await client.request({ method: "PATCH", path: "/x", body: {} })).toEqual({ ok: true });
  });

  it("that stays refused fails, without reading the configuration at every call", async () => {
    let calls = 0;
    const clock = manualClock();
    await connect(
      (request, response) => {
        calls += 1;
        second(request, response);
      },
      { clock },
    );
    for (let call = 0; call < 3; call += 1) {
      expect(await failure(client.request({ method: "GET", path: "/x" }))).toMatchObject({ failure: "Unauthorized" });
    }
    expect(calls).toBe(4);
    await server.setToken("second");
    await clock.advance(10_000);
    expect(await client.request({ method: "GET", path: "/x" })).toEqual({ ok: true });
  });

  it("of a watch is renewed for the next one", async () => {
    await connect(second);
    await server.setToken("second");
    const { signal } = new AbortController();
    expect(await failure(readAll(client.stream({ path: "/x", signal })))).toMatchObject({ failure: "Unauthorized" });
    expect(await readAll(client.stream({ path: "/x", signal }))).toBe('{"ok":true}');
  });

  it("of a file is read again at once", async () => {
    let wanted = "first";
    await connect((request, response) => {
      const known = request.headers.authorization === `Bearer ${wanted}`;
      json(response, known ? 200 : 401, { ok: known });
    });
    const tokenFile = join(dirname(server.kubeconfigPath), "token");
    await writeFile(tokenFile, "first\n");
    const path = join(dirname(server.kubeconfigPath), "with-file");
    const config = JSON.parse(await readFile(server.kubeconfigPath, "utf8")) as Record<string, unknown>;
    config["users"] = [{ name: "u", user: { "auth-provider": { name: "tokenFile", config: { tokenFile } } } }];
    await writeFile(path, JSON.stringify(config));
    await client.close();
    // The clock does not advance, so the age of the token alone would not cause a new read.
    client = createKubeClient({ config: { from: "file", path }, userAgent: "t", clock: manualClock() });
    expect(await client.request({ method: "GET", path: "/x" })).toEqual({ ok: true });
    wanted = "second";
    await writeFile(tokenFile, "second\n");
    expect(await client.request({ method: "GET", path: "/x" })).toEqual({ ok: true });
  });
});

describe("a watch", () => {
  it("gives the bytes as they come, and its end", async () => {
    await connect((_, response) => {
      response.writeHead(200);
      response.write("one\ntw");
      setTimeout(() => response.end("o\n"), 20);
    });
    expect(await readAll(client.stream({ path: "/x", signal: new AbortController().signal }))).toBe("one\ntwo\n");
  });

  it("outlives the deadline of a call while it is silent", async () => {
    const clock = manualClock();
    await connect((_, response) => response.writeHead(200).write("one\n"), { clock });
    const stop = new AbortController();
    const reading = client.stream({ path: "/x", signal: stop.signal })[Symbol.asyncIterator]();
    await reading.next();
    await clock.advance(3_600_000);
    const next = reading.next();
    stop.abort();
    await expect(next).rejects.toMatchObject({ failure: "Unreachable", message: "WATCH /x: canceled" });
  });

  it("that breaks off fails as Unreachable (K4)", async () => {
    await connect((request, response) => {
      response.writeHead(200).write("one\n");
      setTimeout(() => request.socket.destroy(), 20);
    });
    const reading = readAll(client.stream({ path: "/x", signal: new AbortController().signal }));
    expect(await failure(reading)).toMatchObject({ failure: "Unreachable" });
  });

  it("that is refused fails with the server's status and Retry-After", async () => {
    await connect((_, response) => json(response, 429, { reason: "TooManyRequests" }, { "retry-after": "2" }));
    const reading = readAll(client.stream({ path: "/x", signal: new AbortController().signal }));
    expect(await failure(reading)).toMatchObject({ failure: "TooManyRequests", retryAfterMs: 2_000 });
  });

  it("gives its connection back when it ends, apart from those of calls", async () => {
    await connect((_, response) => response.writeHead(200).end("one\n"));
    const { signal } = new AbortController();
    for (let watch = 0; watch < 20; watch += 1) await readAll(client.stream({ path: "/x", signal }));
    expect(server.connections()).toBeLessThanOrEqual(2);
    const before = server.connections();
    await failure(client.request({ method: "GET", path: "/x" }));
    expect(server.connections()).toBe(before + 1);
  });
});

describe("a configuration that cannot be used", () => {
  it.each([
    ["of an unknown context", { from: "file", context: "nope" } as const, 'no cluster for context "nope"'],
    ["outside a cluster", { from: "cluster" } as const, "KUBERNETES_SERVICE_HOST is not set"],
  ])("%s says what is missing", async (_, config, message) => {
    await connect((__, response) => json(response, 200, {}));
    const source = config.from === "file" ? { ...config, path: server.kubeconfigPath } : config;
    expect(() => createKubeClient({ config: source, userAgent: "t", clock: systemClock() })).toThrow(message);
  });
});
