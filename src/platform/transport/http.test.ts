import { createServer as createTlsServer } from "node:https";
import { createServer } from "node:net";

import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { type Answer, type ScriptedServer, startScriptedServer } from "../../../test/support/kube/scripted-server.ts";
import { certificate, expiredCertificate, privateKey } from "../../../test/support/kube/tls.ts";
import { figure } from "../../../test/support/platform/figure.ts";
import { createTransport, type Transport } from "./http.ts";

let server: ScriptedServer;
let transport: Transport;

const options = {
  connections: 4,
  connectTimeoutMs: 1000,
  network: () => ({}),
  mayCall: () => true,
  allowAddress: () => true,
};
const get = (url: string, deadlineMs = 5000) => transport.exchange({ method: "GET", url, headers: {}, deadlineMs });

beforeEach(async () => {
  server = await startScriptedServer();
  transport = createTransport(options);
});

afterEach(async () => {
  await transport.close();
  await server.stop();
});

describe("an exchange", () => {
  it("gives status, text and headers of whatever is answered", async () => {
    server.script({ status: 418, headers: { "X-One": "1" }, body: "short and stout" });
    const answer = await get(server.url);
    expect([answer.status, answer.text, answer.header("x-one"), answer.header("x-two")]).toEqual([
      418,
      "short and stout",
      "1",
      undefined,
    ]);
  });

  it("sends no body and no content type unless there is one", async () => {
    server.script({});
    await transport.exchange({ method: "POST", url: server.url, headers: {}, deadlineMs: 5000 });
    await transport.exchange({ method: "POST", url: server.url, headers: {}, body: "{}", deadlineMs: 5000 });
    expect(
      server.arrived.map(({ body, headers }) => [body, headers["content-length"], headers["content-type"]]),
    ).toEqual([
      ["", "0", undefined],
      ["{}", "2", undefined],
    ]);
  });

  it("[E8] does not follow redirects", async () => {
    server.script({ status: 307, headers: { location: `${server.url}/elsewhere` } });
    const answer = await transport.exchange({
      method: "POST",
      url: server.url,
      headers: {},
      body: "{}",
      deadlineMs: 5000,
    });
    expect([answer.status, server.arrived.length]).toEqual([307, 1]);
  });

  it("keeps to the number of connections", async () => {
    let open = 0;
    let most = 0;
    server.script((response) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.end();
      }, 5);
    });
    await Promise.all(Array.from({ length: 20 }, () => get(server.url)));
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
const big: Answer = (response) => void response.end(Buffer.alloc(4 * 1024 * 1024 + 1, "x"));

const DEADLINE_MS = 300;

describe("an exchange without an answer", () => {
  it.for<[string, Answer, object]>([
    ["[C3] no headers", () => {}, { failure: "deadline", message: "no answer within 300 ms" }],
    ["[C3] headers without an end", endlessHeaders, { failure: expect.stringMatching(/^(deadline|interrupted)$/) }],
    ["[C3] no body", headersOnly, { failure: "deadline" }],
    ["[C3] a body that drips", drip, { failure: "deadline" }],
    ["a reset", (response) => void response.destroy(), { failure: "interrupted" }],
    ["[C4] half a body", cutOff, { failure: "interrupted" }],
    ["[C4] more than 4 MiB", big, { failure: "tooLarge" }],
  ])("%s", async ([name, answer, expected], { task }) => {
    server.script(answer);
    const startedAt = performance.now();
    await expect(get(server.url, DEADLINE_MS)).rejects.toMatchObject({ name: "TransportError", ...expected });
    const took = Math.ceil(performance.now() - startedAt);
    if (name.startsWith("[C3]")) figure(task, `${took} ms until it is given up, deadline ${DEADLINE_MS} ms`);
  });

  it("takes 4 MiB", async () => {
    server.script((response) => void response.end(Buffer.alloc(4 * 1024 * 1024, "x")));
    expect((await get(server.url)).text).toHaveLength(4 * 1024 * 1024);
  });

  it("[C9] says that a refused connection was none", async () => {
    const { url } = server;
    await server.stop();
    await expect(get(url)).rejects.toMatchObject({
      failure: "connect",
      message: "no connection to the platform (ECONNREFUSED)",
    });
    server = await startScriptedServer();
  });

  it("[C9] says that an unknown host was no connection", async () => {
    await expect(get("http://nowhere.invalid")).rejects.toMatchObject({ failure: "connect" });
  });

  it("[E2] never quotes headers", async () => {
    const headers = { authorization: "Token s3cret\r\nx: y" };
    const sent = transport.exchange({ method: "GET", url: server.url, headers, deadlineMs: 1000 });
    await expect(sent).rejects.toSatisfy((error: Error) => !`${error.message} ${error.stack}`.includes("s3cret"));
  });
});

describe("[E8] an address that is not allowed", () => {
  it("gets no connection, whatever its name", async () => {
    const asked: string[] = [];
    let connections = 0;
    const target = createServer(() => (connections += 1)).listen(0);
    const guarded = createTransport({ ...options, allowAddress: (address) => asked.push(address) < 0 });
    const { port } = target.address() as { port: number };
    const sent = guarded.exchange({
      method: "POST",
      url: `http://localhost:${port}`,
      headers: {},
      body: "{}",
      deadlineMs: 5000,
    });
    await expect(sent).rejects.toMatchObject({ failure: "address" });
    expect(asked).not.toEqual([]);
    expect(connections).toBe(0);
    await guarded.close();
    target.close();
  });

  it("does not stand in the way of one that is", async () => {
    server.script({ body: "here" });
    const guarded = createTransport({ ...options, allowAddress: (address) => ["127.0.0.1", "::1"].includes(address) });
    const url = server.url.replace("127.0.0.1", "localhost");
    const answer = await guarded.exchange({ method: "GET", url, headers: {}, deadlineMs: 5000 });
    expect(answer.text).toBe("here");
    await guarded.close();
  });
});

describe("what is too late when it could be sent", () => {
  const post = (to: Transport) =>
    to.exchange({ method: "POST", url: server.url, headers: {}, body: "{}", deadlineMs: 5000 });

  it("is not sent on a connection that comes up", async () => {
    const late = createTransport({ ...options, mayCall: () => false });
    await expect(post(late)).rejects.toMatchObject({ failure: "connect" });
    expect(server.arrived).toEqual([]);
    await late.close();
  });

  it("is not sent by a connection that stands, behind an answer that was waited for", async () => {
    let may = true;
    const late = createTransport({ ...options, connections: 1, mayCall: () => may });
    server.script((response) => {
      may = false;
      response.end();
    });
    const [first, second] = [post(late), post(late)];
    expect((await first).status).toBe(200);
    await expect(second).rejects.toMatchObject({ failure: "connect" });
    expect(server.arrived).toHaveLength(1);
    await late.close();
  });
});

describe("[C9] TLS", () => {
  const startTls = (cert = certificate) =>
    startScriptedServer((listener) => createTlsServer({ cert, key: privateKey }, listener));
  const post = (client: Transport, url: string) =>
    client.exchange({
      method: "POST",
      url: url.replace("http:", "https:"),
      headers: { authorization: "Token x" },
      body: "{}",
      deadlineMs: 5000,
    });

  it.each([
    ["an unknown authority", certificate, undefined, "127.0.0.1", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["a certificate that has expired", expiredCertificate, expiredCertificate, "127.0.0.1", "CERT_HAS_EXPIRED"],
    ["a certificate of another host", certificate, certificate, "localhost", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ])(
    "with %s is no connection, whatever the environment says, and nothing is sent",
    async (_what, cert, ca, host, code) => {
      vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
      onTestFinished(() => void vi.unstubAllEnvs());
      const tls = await startTls(cert);
      const client = createTransport({ ...options, network: () => ({ ca }) });
      await expect(post(client, tls.url.replace("127.0.0.1", host))).rejects.toMatchObject({
        failure: "connect",
        message: expect.stringMatching(`^no connection to the platform \\(${code}\\)`),
      });
      expect(tls.arrived).toEqual([]);
      await client.close();
      await tls.stop();
    },
  );

  it("with the authority that was given is one", async () => {
    const tls = await startTls();
    const trusting = createTransport({ ...options, network: () => ({ ca: certificate }) });
    expect((await post(trusting, tls.url)).status).toBe(200);
    expect(tls.arrived).toHaveLength(1);
    await trusting.close();
    await tls.stop();
  });
});
