/** Two operators, each with a lease of its own, that reconcile the same namespace by mistake. */
import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, expect, inject, it } from "vitest";

import { member } from "../../src/kube/api/json.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import type { RunningOperator } from "../support/env/operator.ts";
import { withdrawRights } from "../support/env/rights.ts";
import { createStage } from "../support/env/stage.ts";
import { application, shared } from "../support/kube/manifests.ts";
import { commandsIn } from "../support/programs/cli.ts";
import { fixture } from "./fixture.ts";

const APPLICATION = "PlatformApplication";
const NAMES = Array.from({ length: 4 }, (_, index) => `twice-${String(index)}`);

const env = createEnv({ surface: "documented", windows: { landingMs: 20_000 } });
const other = createStage("other", { windows: { landingMs: 20_000 } });
let second: RunningOperator | undefined;

beforeAll(async () => {
  await fixture(env);
  await other.open();
  second = await other.start([`--watch-namespaces=${env.namespace}`]);
});

/** The lines of the second operator with this message. */
const told = (message: RegExp) => second?.logs().filter((line) => message.test(line.message)) ?? [];
afterAll(async () => {
  await second?.stop();
  await withdrawRights(other.client, other.operatorNamespace);
  await other.client.close();
});

it("create nothing twice and ask nobody about the creates of the other one", async () => {
  const record = await env.record();
  env.platform.sim.faults.add({
    match: { operation: "createApplication" },
    answer: { is: "slow", seconds: 4 },
    count: NAMES.length,
  });
  await env.apply(...NAMES.map((name) => application(name, "staging")));
  const reasons = new Set<string>();
  const isReady = (object: KubeObject): boolean => {
    const ready = condition(object, "Ready");
    reasons.add(ready?.reason ?? "");
    return ready?.status === "True";
  };
  for (const name of NAMES) await env.waitFor(APPLICATION, name, isReady, 90_000);
  expect(record.calls("createApplication")).toHaveLength(NAMES.length);
  expect(reasons).not.toContain("CreateResultUnknown");
});

it("are noticed by each other: in the log, by a metric and by `kubectl platform check`", async () => {
  const noticed = /^another release of the operator watches the same namespaces/;
  await expect
    .poll(() => told(noticed), { timeout: 20_000 })
    .toMatchObject([{ level: "warn", release: env.operatorNamespace, namespaces: env.namespace }]);
  const metrics = await (await fetch(`${second?.metricsUrl ?? ""}/metrics`)).text();
  expect(metrics).toMatch(/^platform_operator_overlapping_releases 1$/m);
  const call = commandsIn(env, inject("controlPlane").kubeconfigPath);
  const { stdout } = await call(["check", "--installation", `--operator-namespace=${env.operatorNamespace}`]);
  expect(stdout).toMatch(
    new RegExp(`^✘ other releases +the operator in namespace "${other.operatorNamespace}" also`, "m"),
  );
});

it("let one of them write the status of a ClusterPlatformConnection, the one that has its Secret", async () => {
  const kind = "ClusterPlatformConnection";
  const [token, connection] = shared(env, env.namespace, { names: [env.namespace] });
  if (token === undefined || connection === undefined) throw new TypeError("two manifests");
  await env.apply(connection);
  await env.waitFor(kind, env.namespace, { reason: "CredentialsMissing" });
  await env.apply(token);
  await env.waitFor(kind, env.namespace, ({ status }) => member(status, "surface") !== undefined);
  const versionOf = async () => (await env.get(kind, env.namespace)).metadata.resourceVersion;
  const before = await versionOf();
  // The second one looks for its Secret every five seconds.
  await sleep(12_000);
  expect(await versionOf()).toBe(before);
  expect(member((await env.get(kind, env.namespace)).status, "release")).toBe(env.operatorNamespace);
  // Before the Secret exists, the operator of another test file may be the writer.
  const elsewhere = told(/writes the status of this connection/).filter(
    ({ name, release }) => name === env.namespace && release === env.operatorNamespace,
  );
  expect(elsewhere).toMatchObject([{ reason: "CredentialsMissing" }]);
  await env.remove(kind, env.namespace);
});
