import { describe, expect, it } from "vitest";

import { changeSettings } from "../../../simulator/base/settings.ts";
import { editRecord } from "../../../simulator/control/records.ts";
import type { Manifest } from "../../support/env/cluster.ts";
import { effort } from "../../support/env/effort.ts";
import { application, environment, project, resource, secret } from "../../support/kube/manifests.ts";
import { MINUTE } from "../../support/platform/durations.ts";
import { settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";
import { unready } from "./restores.ts";

/** More applications than may be changed at a time. */
const NAMES = Array.from({ length: 12 }, (_, index) => `app-${index}`);

/** Applications that nobody deploys, so that each correction is one write. */
async function fleet(): Promise<OperatorEnv> {
  const spec = { memory: 512, runState: "Stopped", lifecycle: { onMissing: "Recreate", driftPolicy: "Correct" } };
  const applications = NAMES.map((name) => application(name, "staging", spec));
  const env = await settledEnv((env) => [project("shop"), environment(env, "staging", "shop"), ...applications]);
  expect(unready(env)).toEqual([]);
  return env;
}

// What else is held, and how it goes on: src/engine/engine-unasked.test.ts.
describe("[R1] the limit of mass changes", () => {
  it("holds the corrections after others changed the settings of twelve applications", async () => {
    const env = await fleet();
    const from = env.baseline();
    for (const id of env.platform.world().services.keys()) editRecord(env.platform.sim, id, { memory: 4_096 });
    await env.run(30 * MINUTE);
    await env.restart();
    await env.run(30 * MINUTE);
    expect(env.writes(from)).toEqual(Array.from({ length: 10 }, () => "updateApplication"));
    expect(env.condition("PlatformConnection", "default")).toBe("False/MassChangeHeld");
  });

  it.each(effort.few([404, 403] as const))("is not needed on a platform that answers only %s", async (status) => {
    const env = await fleet();
    const from = env.baseline();
    changeSettings(env.platform.sim.settings, { goneAs: 403 });
    const match = { method: "GET" };
    env.platform.sim.faults.add({ match, count: null, effect: "none", answer: { is: "status", status } });
    await env.run(60 * MINUTE);
    await env.restart();
    await env.run(60 * MINUTE);
    expect(env.writes(from)).toEqual([]);
    env.platform.sim.faults.clear();
    await env.run(30 * MINUTE);
    expect(env.writes(from)).toEqual([]);
    expect(unready(env)).toEqual([]);
  });

  const sources: readonly (readonly [title: string, of: (value: string) => Manifest])[] = [
    ["a Secret", (value) => secret("shared", { url: value })],
    ["a variable set", variableSet],
  ];

  it.each(effort.few(sources))("does not count deployments after a user changed %s", async (_title, shared) => {
    const variables = [{ name: "URL", valueFrom: { secretKeyRef: { name: "shared", key: "url" } } }];
    const sharing = NAMES.map((name) => application(name, "staging", { variables }));
    const values = [secret("shared", { url: "https://one" }), variableSet("one")];
    const env = await settledEnv(
      (env) => [project("shop"), environment(env, "staging", "shop"), ...values, ...sharing],
      { minutes: 40 },
    );
    const from = env.baseline();
    env.apply(shared("https://two"));
    await env.run(40 * MINUTE);
    const deployed = env.writes(from).filter((op) => op === "deployApplication");
    expect(deployed).toHaveLength(NAMES.length);
    expect(env.condition("PlatformConnection", "default")).toBe("True/Available");
  });
});

function variableSet(value: string): Manifest {
  const targets = NAMES.map((name) => ({ applicationRef: { name } }));
  return resource("PlatformVariableSet", "shared", { targets, variables: [{ name: "MODE", value }] });
}
