import { createServer as createTlsServer } from "node:https";
import { createServer } from "node:net";

import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { type Answer, type ScriptedServer, startScriptedServer } from "../../../test/support/kube/scripted-server.ts";
import { certificate, expiredCertificate, privateKey } from "../../../test/support/kube/tls.ts";
import { figure } from "../../../test/support/platform/figure.ts";
import { createTransport, type HttpOptions, type Transport } from "./http.ts";

let server: ScriptedServer;
const always = () => true;
const options = { connections: 4, connectTimeoutMs: 1000, network: () => ({}), mayCall: always, allowAddress: always };
/** The size of the largest body that these tests receive. */
const MAX_BYTES = 1024 * 1024;
const FAILURE = 64 * 1024;
/** A client that ends with the test. */
function client(change: Partial<HttpOptions> = {}): Transport {
  const transport = createTransport({ ...options, ...change });
  onTestFinished(() => transport.close());
  return transport;
}
const get = (url: string, deadlineMs = 5000, transport = client()) =>
  transport.exchange({ method: "GET", url, headers: {}, deadlineMs, maxBytes: MAX_BYTES });
const post = (url: string, transport = client()) =>
  transport.exchange({ method: "POST", url, headers: {}, body: "{}", deadlineMs: 5000, maxBytes: MAX_BYTES });

beforeEach(async () => {
  server = await startScriptedServer();
});
afterEach(() => server.stop());

describe("an exchange", () => {
  it("sends a body and a content type only if there is a body", async () => {
    await client().exchange({ method: "POST", url: server.url, headers: {}, deadlineMs: 5000, maxBytes: MAX_BYTES });
    await post(server.url);
    const sent = server.arrived.map(({ body, headers }) => [body, headers["content-length"], headers["content-type"]]);
    expect(sent).toEqual([
      ["", "0", undefined],
      ["{}", "2", undefined],
    ]);
  });

  it("[E8] does not follow redirects", async () => {
    server.script({ status: 307, headers: { location: `${server.url}/elsewhere` } });
    expect((await post(server.url)).status).toBe(307);
    expect(server.arrived).toHaveLength(1);
  });

  it("opens at most the given number of connections", async () => {
    let [open, most] = [0, 0];
    server.script((response) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.end();
      }, 5);
    });
    const transport = client();
    await Promise.all(Array.from({ length: 20 }, () => get(server.url, 5000, transport)));
    expect(most).toBe(4);
  });
});

const drip: Answer = (response) => {
  const timer = setInterval(() => response.write("."), 10);
  response.on("close", () => clearInterval(timer));
};
const headersOnly: Answer = (response) => response.writeHead(200, { "content-length": "10" }).flushHeaders();
const endlessHeaders: Answer = ({ socket }) => {
  socket?.write("HTTP/1.1 200 OK\r\n");
  const timer = setInterval(() => socket?.write("x-padding: x\r\n"), 20);
  socket?.on("close", () => clearInterval(timer));
};
const cutOff: Answer = (response) => {
  response.writeHead(200, { "content-length": "100" });
  response.write("half");
  setTimeout(() => response.destroy(), 20);
};
const bytes =
  (count: number, status = 200): Answer =>
  (response) =>
    void response.writeHead(status).end(Buffer.alloc(count, "x"));
/** Sends bytes until the client ends the connection. @param onEnd receives their number then */
const endless =
  (status: number, onEnd: (count: number) => void): Answer =>
  (response) => {
    const { socket } = response.writeHead(status);
    const more = (): void => {
      while (response.write(Buffer.alloc(FAILURE, "x")));
    };
    response.on("drain", more).on("close", () => {
      onEnd(socket?.bytesWritten ?? 0);
    });
    more();
  };
/** Sends one byte a packet until the client ends the connection. */
const bytewise: Answer = (response) => {
  const more = (): void => {
    if (!response.destroyed) response.write(".", () => setImmediate(more));
  };
  more();
};

const DEADLINE_MS = 300;

describe("an exchange without a whole answer", () => {
  it.for<[string, Answer, object]>([
    ["[C3] no headers", () => {}, { failure: "deadline", message: "no answer within 300 ms" }],
    ["[C3] headers without an end", endlessHeaders, { failure: expect.stringMatching(/^(deadline|interrupted)$/) }],
    ["[C3] no body", headersOnly, { failure: "deadline" }],
    ["[C3] a body that drips", drip, { failure: "deadline" }],
    ["a reset", (response) => void response.destroy(), { failure: "interrupted" }],
    ["[C4] half a body", cutOff, { failure: "interrupted" }],
    [
      "[C4] a body larger than the largest",
      bytes(MAX_BYTES + 1),
      { failure: "tooLarge", message: `the answer is larger than ${MAX_BYTES} bytes` },
    ],
    [
      "[E5] a body of too many packets",
      bytewise,
      { failure: "tooLarge", message: "the answer comes in more than 10000 packets" },
    ],
  ])("fails with its cause: %s", async ([name, answer, expected], { task }) => {
    server.script(answer);
    const startedAt = performance.now();
    // What ends by itself ends before any deadline, however busy the machine is.
    const deadlineMs = name.startsWith("[C3]") ? DEADLINE_MS : 30_000;
    await expect(get(server.url, deadlineMs)).rejects.toMatchObject({ name: "TransportError", ...expected });
    const took = Math.ceil(performance.now() - startedAt);
    if (name.startsWith("[C3]")) figure(task, `${took} ms until it is given up, deadline ${DEADLINE_MS} ms`);
  });

  it("has a body of the largest size", async () => {
    server.script(bytes(MAX_BYTES));
    expect((await get(server.url)).text).toHaveLength(MAX_BYTES);
  });

  it.each([
    [200, MAX_BYTES],
    [404, FAILURE],
  ])("[E5] ends at the limit of an endless body: status %i, %i bytes", async (status, most) => {
    const sent = new Promise<number>((resolve) => server.script(endless(status, resolve)));
    const outcome = await get(server.url).catch((error: unknown) => error);
    expect(outcome).toMatchObject(status === 200 ? { failure: "tooLarge" } : { status, text: "x".repeat(most) });
    // The rest are bytes in the buffers of both sockets.
    expect(await sent).toBeLessThan(most + 16 * MAX_BYTES);
  });

  it("[E5] has the beginning of a long error body, and its connection is not used again", async () => {
    server.script(bytes(FAILURE + 1, 422), bytes(FAILURE, 422));
    const transport = client({ connections: 1 });
    expect((await get(server.url, 5000, transport)).text).toHaveLength(FAILURE);
    expect((await get(server.url, 5000, transport)).text).toHaveLength(FAILURE);
  });

  it("[C9] fails as not connected if the connection is refused", async () => {
    const { url } = server;
    await server.stop();
    const message = "no connection to the platform (ECONNREFUSED): nothing listens at its host and port";
    await expect(get(url)).rejects.toMatchObject({ failure: "connect", message });
    server = await startScriptedServer();
  });

  it("[C9] fails as not connected if the host is unknown", async () => {
    await expect(get("http://nowhere.invalid")).rejects.toMatchObject({ failure: "connect" });
  });

  it("fails as not sent once the client is closed", async () => {
    const transport = client();
    await post(server.url, transport);
    await transport.close();
    const message = "the client was closed before the request was sent";
    await expect(post(server.url, transport)).rejects.toMatchObject({ failure: "connect", message });
    expect(server.arrived).toHaveLength(1);
  });

  it("[E2] never quotes headers", async () => {
    const headers = { authorization: "Token s3cret\r\nx: y" };
    const sent = client().exchange({ method: "GET", url: server.url, headers, deadlineMs: 1000, maxBytes: MAX_BYTES });
    await expect(sent).rejects.toSatisfy((error: Error) => !`${error.message} ${error.stack}`.includes("s3cret"));
  });
});

it("[E8] a host with an address that is not allowed gets no connection, whatever its name", async () => {
  const checked: string[] = [];
  let connections = 0;
  const target = createServer(() => (connections += 1)).listen(0);
  const { port } = target.address() as { port: number };
  const guarded = client({ allowAddress: (address) => checked.push(address) < 0 });
  await expect(post(`http://localhost:${port}`, guarded)).rejects.toMatchObject({ failure: "address" });
  expect(checked).not.toEqual([]);
  expect(connections).toBe(0);
  target.close();
});

it("[E8] a host with an allowed address gets a connection, although another address is not allowed", async () => {
  server.script({ body: "here" });
  const guarded = client({ allowAddress: (address) => ["127.0.0.1", "::1"].includes(address) });
  expect((await get(server.url.replace("127.0.0.1", "localhost"), 5000, guarded)).text).toBe("here");
});

describe("a request that is not allowed any more when it could be sent", () => {
  it("is not sent on a new connection", async () => {
    await expect(post(server.url, client({ mayCall: () => false }))).rejects.toMatchObject({ failure: "connect" });
    expect(server.arrived).toEqual([]);
  });

  it("is not sent on an open connection, after it waited for another answer", async () => {
    let may = true;
    const late = client({ connections: 1, mayCall: () => may });
    server.script((response) => {
      may = false;
      response.end();
    });
    const [first, second] = [post(server.url, late), post(server.url, late)];
    expect((await first).status).toBe(200);
    await expect(second).rejects.toMatchObject({ failure: "connect" });
    expect(server.arrived).toHaveLength(1);
  });
});

describe("[C9] TLS", () => {
  const startTls = async (cert: string, host: string) => {
    const tls = await startScriptedServer((listener) => createTlsServer({ cert, key: privateKey }, listener));
    onTestFinished(() => tls.stop());
    return { tls, url: tls.url.replace("http:", "https:").replace("127.0.0.1", host) };
  };

  it.each([
    [
      "an unknown authority",
      certificate,
      undefined,
      "127.0.0.1",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "no trusted authority",
    ],
    [
      "a certificate that has expired",
      expiredCertificate,
      expiredCertificate,
      "127.0.0.1",
      "CERT_HAS_EXPIRED",
      "has expired",
    ],
    [
      "a certificate of another host",
      certificate,
      certificate,
      "localhost",
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "another host",
    ],
  ])(
    "with %s is no connection, whatever the environment, and nothing is sent",
    async (_what, cert, ca, host, code, meaning) => {
      vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
      onTestFinished(() => void vi.unstubAllEnvs());
      const { tls, url } = await startTls(cert, host);
      await expect(post(url, client({ network: () => ({ ca }) }))).rejects.toMatchObject({
        failure: "connect",
        message: expect.stringMatching(`^no connection to the platform \\(${code}\\): .*${meaning}`),
      });
      expect(tls.arrived).toEqual([]);
    },
  );

  it("with the given authority is a connection", async () => {
    const { tls, url } = await startTls(certificate, "127.0.0.1");
    expect((await post(url, client({ network: () => ({ ca: certificate }) }))).status).toBe(200);
    expect(tls.arrived).toHaveLength(1);
  });
});
