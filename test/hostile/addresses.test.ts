/** Addresses that the operator refuses by default: it allows https and public addresses only. */
import { once } from "node:events";
import { createServer } from "node:net";

import { afterAll, expect, it } from "vitest";

import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { connection, project, secret } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { freePort } from "../support/programs/free-port.ts";

/** Connections to the machine's own addresses. */
let connections = 0;
const port = await freePort();
for (const host of ["127.0.0.1", "::1"]) {
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  // Not every machine has IPv6.
  await once(server.listen(port, host), "listening").catch(() => {});
  afterAll(() => void server.close());
}

const env = createEnv({
  surface: "documented",
  args: ["--allow-insecure-platform=false", "--allowed-platform-hosts="],
});

/** Hosts of base URLs with https, and whole base URLs without it; all without a port. */
const PRIVATE = [
  ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0", "169.254.169.254"],
  ["10.96.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1", "[::1]", "[::]", "[::ffff:127.0.0.1]"],
  ["[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1]", "[fd00::1]", "localhost", "LOCALHOST"],
  ["[::7f00:1]", "[::ffff:0:7f00:1]", "[2001:0:7f00:1::1]", "192.0.2.1", "[2001:db8::1]", "[100::1]", "168.63.129.16"],
].flat();
const PLAIN = ["http://127.0.0.1", "http://platform.example"];
const ADDRESSES = [
  ...PRIVATE.map((host) => ({
    host: `https://${host}`,
    message: /(?:is not a public address|address that is not public)/,
  })),
  ...PLAIN.map((host) => ({ host, message: /is not https/ })),
];
/** Base URLs that the API server refuses. */
const REFUSED = [
  ["file:///etc/passwd", "ftp://127.0.0.1", "https://user:s3cret@127.0.0.1", "https://platform.example@127.0.0.1"],
  ["https://127.0.0.1/latest/meta-data", "https://127.0.0.1?x=1", "https://127.0.0.1#x", "https://127.0.0.1."],
  ["https://127。0。0。1", "//127.0.0.1"],
].flat();

it("[E8] the operator sends no byte to a private address, and reports the reason on the connection", async ({
  task,
}) => {
  await env.apply(secret("token", { token: "some-token-of-ours" }));
  const auth = { tokenSecretRef: { name: "token" } };
  const named = ADDRESSES.map(({ host, message }, at) => ({
    name: `inside-${at}`,
    baseUrl: `${host}:${port}`,
    message,
  }));
  await env.apply(
    ...named.flatMap(({ name, baseUrl }) => [
      connection(env, name, { baseUrl, auth }),
      project(name, { connectionRef: { name } }),
    ]),
  );
  for (const { name, baseUrl, message } of named) {
    const refused = await env.waitFor("PlatformConnection", name, { status: "False" });
    expect(condition(refused, "Ready")?.message, baseUrl).toMatch(message);
    await env.waitFor("PlatformProject", name, { reason: "ConnectionNotReady" });
  }
  expect(connections).toBe(0);
  figure(task, "0 connections, 0 bytes", ADDRESSES.length + REFUSED.length);
});

it("[E8] the API server refuses base URLs of another scheme, with credentials, a path, a query or an unusual host", async () => {
  for (const baseUrl of REFUSED) {
    const refused = await env.apply(connection(env, "refused", { baseUrl })).catch((error: unknown) => error);
    expect(refused, baseUrl).toMatchObject({ failure: "Invalid" });
    expect(String(refused)).not.toContain("s3cret");
  }
  expect(connections).toBe(0);
});
