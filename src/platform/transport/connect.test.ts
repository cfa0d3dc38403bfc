import type { LookupAddress } from "node:dns";
import type { RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";

import { describe, expect, it, onTestFinished } from "vitest";

import { type ConnectProxy, connectProxy } from "../../../test/support/kube/connect-proxy.ts";
import { startScriptedServer } from "../../../test/support/kube/scripted-server.ts";
import { slowServer } from "../../../test/support/kube/slow-server.ts";
import { certificate, expiredCertificate, privateKey } from "../../../test/support/kube/tls.ts";
import { addressFilter } from "./address.ts";
import { guardedLookup, type Network } from "./connect.ts";
import { createTransport, type HttpOptions } from "./http.ts";

const anywhere = () => true;

/** Starts a platform and a proxy before it. The client trusts the platform's certificate by default. */
async function behindProxy(change: { readonly isPlain?: boolean; readonly options?: Partial<HttpOptions> } = {}) {
  const withTls = (listener: RequestListener) => createTlsServer({ cert: certificate, key: privateKey }, listener);
  const server = await startScriptedServer(change.isPlain === true ? undefined : withTls);
  const port = Number(new URL(server.url).port);
  const proxy = await connectProxy(port);
  const network: { now: Network } = { now: { ca: certificate } };
  const transport = createTransport({
    connections: 1,
    connectTimeoutMs: 1_000,
    mayCall: anywhere,
    allowAddress: anywhere,
    network: () => network.now,
    proxy: { url: proxy.url, from: "spec.proxy", allowAddress: anywhere, mayResolve: true },
    ...change.options,
  });
  onTestFinished(async () => {
    await transport.close();
    await proxy.stop();
    await server.stop();
  });
  const url = change.isPlain === true ? server.url : server.url.replace("http:", "https:");
  const headers = { authorization: "Token x" };
  const call = (to = url) =>
    transport.exchange({ method: "POST", url: to, headers, body: "{}", deadlineMs: 5_000, maxBytes: 1_000 });
  return { server, proxy, network, call, authority: `127.0.0.1:${port}` };
}

describe("a connection through a proxy", () => {
  it.each([{ isPlain: false }, { isPlain: true }])("asks the proxy once for a tunnel: %o", async (change) => {
    const { server, proxy, call, authority } = await behindProxy(change);
    expect((await call()).status).toBe(200);
    expect((await call()).status).toBe(200);
    expect(proxy.asked).toEqual([authority]);
    expect(server.arrived.map(({ url, headers }) => [url, headers["proxy-authorization"]])).toEqual([
      ["/", undefined],
      ["/", undefined],
    ]);
  });

  it("lets the proxy resolve a host that does not resolve here", async () => {
    const { proxy, call } = await behindProxy({ isPlain: true });
    expect((await call("http://platform.invalid")).status).toBe(200);
    expect(proxy.asked).toEqual(["platform.invalid:80"]);
  });

  it("[E8] is refused if the host does not resolve here and the proxy may not resolve it", async () => {
    const at = await connectProxy(9);
    onTestFinished(() => at.stop());
    const { call } = await behindProxy({
      options: { proxy: { url: at.url, from: "spec.proxy", allowAddress: anywhere, mayResolve: false } },
    });
    await expect(call("https://platform.invalid")).rejects.toMatchObject({
      failure: "connect",
      message: expect.stringMatching(
        /^the host does not resolve here \((?:ENOTFOUND|EAI_AGAIN)\), .* --allowed-platform-hosts /,
      ),
    });
    expect(at.asked).toEqual([]);
  });

  it("uses new credentials when they change, and keeps no connection with the old ones", async () => {
    const { proxy, network, call } = await behindProxy();
    for (let round = 0; round < 5; round += 1) {
      const proxyCredentials = `user:secret-${round}`;
      proxy.protect(proxyCredentials);
      network.now = { ca: certificate, proxyCredentials };
      expect((await call()).status).toBe(200);
    }
    expect(proxy.asked).toHaveLength(5);
    await expect.poll(() => proxy.open()).toBe(1);
  });

  const own = "the proxy of spec.proxy";
  const asks = (proxy: ConnectProxy) => proxy.protect("user:right");
  const wrong = { proxyCredentials: "user:s3cret" };
  const untrusted = `no connection to the platform through ${own} (DEPTH_ZERO_SELF_SIGNED_CERT): no trusted authority signed its certificate; see spec.caBundle`;
  it.each<[string, (proxy: ConnectProxy) => unknown, Network, string]>([
    ["that rejects the password", asks, wrong, `${own} rejects the user name or the password (407)`],
    ["that asks for credentials", asks, {}, `${own} asks for a user name and a password (407)`],
    ["that forbids the target", (proxy) => proxy.refuse(403), {}, `${own} opens no connection to the platform (403)`],
    [
      "that nobody runs",
      (proxy) => proxy.stop(),
      {},
      `no connection to ${own} (ECONNREFUSED): nothing listens at its host and port`,
    ],
    ["before a platform of an unknown authority", () => {}, {}, untrusted],
    ["before a platform of another authority", () => {}, { ca: expiredCertificate }, untrusted],
  ])("fails with a proxy %s, and nothing is sent", async (_what, prepare, now, message) => {
    const { server, proxy, network, call } = await behindProxy();
    await prepare(proxy);
    network.now = now;
    await expect(call()).rejects.toMatchObject({ name: "TransportError", failure: "connect", message });
    expect(server.arrived).toEqual([]);
  });

  it("[E8] is refused for a target with an address that is not allowed", async () => {
    const { proxy, call } = await behindProxy({ options: { allowAddress: () => false } });
    await expect(call("https://localhost")).rejects.toMatchObject({
      failure: "address",
      message: "the host resolves to an address that is not public",
    });
    expect(proxy.asked).toEqual([]);
    expect(proxy.open()).toBe(0);
  });

  it("[E8] is refused for a proxy with an address that is not allowed, whatever its name", async () => {
    const at = await connectProxy(9);
    onTestFinished(() => at.stop());
    const url = at.url.replace("127.0.0.1", "localhost");
    const { call } = await behindProxy({
      options: { proxy: { url, from: "spec.proxy", allowAddress: () => false, mayResolve: true } },
    });
    await expect(call()).rejects.toMatchObject({
      failure: "address",
      message: "the proxy of spec.proxy resolves to an address that is not public",
    });
    expect(at.open()).toBe(0);
  });
});

describe("[E8] the addresses of a host", () => {
  const PUBLIC = { address: "93.184.216.34", family: 4 };
  const TRANSLATED = { address: "64:ff9b::5db8:d822", family: 6 };
  const INNER = { address: "10.0.0.5", family: 4 };
  const INNER_TRANSLATED = { address: "64:ff9b::a00:5", family: 6 };
  const allow = addressFilter({ allowedHosts: [], allowInsecure: false });
  const found = (...answer: LookupAddress[]) =>
    new Promise<unknown>((resolve, reject) => {
      const answered = guardedLookup(allow, (_host, _options, done) => done(null, answer));
      answered("platform.example", { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
    });

  it.each([
    ["include public ones of IPv4 and of DNS64", [PUBLIC, TRANSLATED], [PUBLIC, TRANSLATED]],
    ["exclude an address that is not public", [INNER, PUBLIC], [PUBLIC]],
    ["exclude an IPv6 address of a private IPv4 address", [INNER_TRANSLATED, TRANSLATED], [TRANSLATED]],
  ])("%s", async (_what, answer, usable) => {
    expect(await found(...answer)).toEqual(usable);
  });

  it("are refused if none is public", async () => {
    await expect(found(INNER, INNER_TRANSLATED)).rejects.toMatchObject({ code: "ERR_REFUSED_ADDRESS" });
  });
});

it("a connection waits for a slow address of a host whose other address has no route", async () => {
  const server = await slowServer();
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  const transport = createTransport({
    connections: 1,
    connectTimeoutMs: 5_000,
    mayCall: anywhere,
    allowAddress: anywhere,
    network: () => ({}),
    lookup: (_host, _options, done) => done(null, addresses),
  });
  onTestFinished(async () => {
    await transport.close();
    await server.stop();
  });
  const url = `http://platform.example:${server.port}`;
  const answer = transport.exchange({ method: "GET", url, headers: {}, deadlineMs: 5_000, maxBytes: 1_000 });
  // Longer than Node tries each address by itself.
  const opening = setTimeout(server.open, 400);
  onTestFinished(() => clearTimeout(opening));
  expect((await answer).status).toBe(200);
});
