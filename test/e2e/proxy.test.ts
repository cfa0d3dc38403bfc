/** The operator behind tinyproxy: CONNECT and authentication of a forward proxy in wide use. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished, vi } from "vitest";

import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { ownControlPlane } from "../support/env/own-control-plane.ts";
import { connection, secret } from "../support/kube/manifests.ts";
import { freePort } from "../support/programs/free-port.ts";
import { findDebianProgram } from "../tools/debian.ts";

const USER = "shop";
const PASSWORD = "s3cret-right";

const controlPlane = await ownControlPlane();
let variables: Readonly<Record<string, string>> = {};
const env = createEnv({ surface: "documented", controlPlane, variables: () => variables });

/** Starts tinyproxy(8) on loopback until the test ends. Only tunnels to the platform's port are allowed. */
async function startProxy() {
  const program = await findDebianProgram("tinyproxy");
  const folder = await mkdtemp(join(tmpdir(), "tinyproxy-"));
  const [port, log] = [await freePort(), join(folder, "log")];
  const settings = [
    `Port ${port}`,
    "Listen 127.0.0.1",
    "Allow 127.0.0.1",
    `BasicAuth ${USER} ${PASSWORD}`,
    `ConnectPort ${new URL(env.platform.url).port}`,
    `LogFile "${log}"`,
    "LogLevel Info",
  ];
  await writeFile(join(folder, "conf"), `${settings.join("\n")}\n`);
  const child = spawn(program, ["-d", "-c", join(folder, "conf")], { stdio: "ignore" });
  onTestFinished(async () => {
    child.kill();
    await once(child, "exit");
    await rm(folder, { recursive: true });
  });
  const lines = async (): Promise<readonly string[]> => (await readFile(log, "utf8")).split("\n");
  await vi.waitFor(async () => expect(await lines()).toContainEqual(expect.stringContaining("Accepting connections")));
  return {
    at: (password: string): string => `http://${USER}:${password}@127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    /** The targets of all tunnels so far. */
    tunnels: async (): Promise<readonly string[]> =>
      (await lines()).flatMap((line) => /Request \(file descriptor \d+\): CONNECT (\S+)/.exec(line)?.[1] ?? []),
  };
}

it("reaches the platform through the proxy alone, with the credentials of HTTPS_PROXY or of spec.proxy", async () => {
  const proxy = await startProxy();
  variables = { HTTPS_PROXY: proxy.at("s3cret-wrong") };
  await env.restart();
  await env.apply(
    secret("token", { token: env.platform.tokens.admin }),
    secret("egress", { username: USER, password: PASSWORD }),
    connection(env, "default", { auth: { tokenSecretRef: { name: "token" } } }),
    connection(env, "own", {
      auth: { tokenSecretRef: { name: "token" } },
      proxy: { url: proxy.url, secretRef: { name: "egress" } },
    }),
  );
  await env.waitFor("PlatformConnection", "own", { status: "True" });
  const refused = await env.waitFor("PlatformConnection", "default", { reason: "PlatformUnreachable" });
  expect(condition(refused, "Ready")?.message).toMatch(
    /proxy of --platform-proxy rejects the user name or the password \(401\)/,
  );

  variables = { HTTPS_PROXY: proxy.at(PASSWORD) };
  await env.restart();
  await env.waitFor("PlatformConnection", "default", { status: "True" });
  expect(new Set(await proxy.tunnels())).toEqual(new Set([new URL(env.platform.url).host]));
  expect(env.operator.output()).not.toContain("s3cret");
});
