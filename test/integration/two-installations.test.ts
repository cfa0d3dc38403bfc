/** Two operators, each with a lease of its own, that reconcile the same namespace by mistake. */
import { afterAll, beforeAll, expect, it } from "vitest";

import type { KubeObject } from "../../src/kube/api/types.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import type { RunningOperator } from "../support/env/operator.ts";
import { withdrawRights } from "../support/env/rights.ts";
import { createStage } from "../support/env/stage.ts";
import { application } from "../support/kube/manifests.ts";
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
