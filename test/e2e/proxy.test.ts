/** The operator behind tinyproxy: CONNECT and authentication of a forward proxy in wide use. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { defaults } from "../support/kube/manifests.ts";
import { freePort } from "../support/programs/free-port.ts";
import { prints, startProgram } from "../support/programs/programs.ts";
import { findDebianProgram } from "../tools/debian.ts";
import { newFolder } from "./folder.ts";

const USER = "shop";
const PASSWORD = "s3cret-right";
const folder = await newFolder("tinyproxy");

let variables: Readonly<Record<string, string>> = {};
const env = createEnv({ surface: "documented", variables: () => variables });

/** Starts tinyproxy(8) on loopback until the test ends. Only tunnels to the platform's port are allowed. */
async function startProxy() {
  const port = await freePort();
  const settings = [
    `Port ${port}`,
    "Listen 127.0.0.1",
    "Allow 127.0.0.1",
    `BasicAuth ${USER} ${PASSWORD}`,
    `ConnectPort ${new URL(env.platform.url).port}`,
    "LogLevel Info",
  ];
  await writeFile(join(folder, "conf"), `${settings.join("\n")}\n`);
  // Without a LogFile it writes its log to standard output.
  const file = await findDebianProgram("tinyproxy");
  const program = startProgram({ file, args: ["-d", "-c", join(folder, "conf")] });
  onTestFinished(() => program.stop());
  await prints(program, "Accepting connections");
  return {
    at: (password: string): string => `http://${USER}:${password}@127.0.0.1:${port}`,
    /** The targets of all tunnels so far. */
    tunnels: (): readonly string[] =>
      [...program.output().matchAll(/Request \(file descriptor \d+\): CONNECT (\S+)/g)].map(([, to = ""]) => to),
  };
}

// Those of spec.proxy: test/integration/connections.test.ts.
it("the operator reaches the platform only through the proxy of HTTPS_PROXY, with its credentials", async () => {
  const proxy = await startProxy();
  variables = { HTTPS_PROXY: proxy.at("s3cret-wrong") };
  await env.restart();
  await env.apply(...defaults(env));
  const refused = await env.waitFor("PlatformConnection", "default", { reason: "PlatformUnreachable" });
  expect(condition(refused, "Ready")?.message).toMatch(
    /proxy of --platform-proxy rejects the user name or the password \(401\)/,
  );

  variables = { HTTPS_PROXY: proxy.at(PASSWORD) };
  await env.restart();
  await env.waitFor("PlatformConnection", "default", { status: "True" });
  expect(new Set(proxy.tunnels())).toEqual(new Set([new URL(env.platform.url).host]));
  expect(env.operator.output()).not.toContain("s3cret");
});
