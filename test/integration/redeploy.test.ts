/** The annotation redeploy-requested-at on the real control plane. Every case: test/model/faults/redeploy.test.ts. */
import { beforeAll, describe, expect, it } from "vitest";

import { REDEPLOY_REQUESTED_AT } from "../../src/api/names.ts";
import { member } from "../../src/kube/api/json.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { database, defaults, tree } from "../support/kube/manifests.ts";

const SERVICES = [
  { kind: "PlatformApplication", name: "web", deploy: "deployApplication" },
  { kind: "PlatformDatabase", name: "orders", deploy: "deployDatabase" },
] as const;

const answerOf = ({ status }: KubeObject) => member(status, "lastHandledRedeployAt");

describe.each(["documented", "full"] as const)("the annotation redeploy-requested-at, %s surface", (surface) => {
  // Far longer than what is late takes: on a busy machine neither clock is punctual.
  const env = createEnv({ surface, windows: { landingMs: 4_000 } });

  beforeAll(async () => {
    await env.ready(...defaults(env, { allowUnverifiedIds: true }), ...tree(env, "web"), database("orders", "web"));
    await env.settled();
  }, 60_000);

  const requested = async (kind: string, name: string, value: string): Promise<void> => {
    await env.annotate(kind, name, { [REDEPLOY_REQUESTED_AT]: value });
    const isDone = (object: KubeObject): boolean => answerOf(object) === value;
    await env.waitFor(kind, name, isDone);
    await env.waitFor(kind, name, { status: "True" });
  };

  it.each(SERVICES)("of a $kind causes one $deploy a value", async ({ kind, name, deploy }) => {
    const record = await env.record();
    await requested(kind, name, "first");
    await env.settled();
    expect(record.changes()).toEqual([deploy]);
    const since = await env.record();
    await env.patch(kind, name, { metadata: { labels: { touched: "yes" } } });
    await env.settled();
    expect((await since.writes()).objects).toEqual([]);
    expect(record.changes()).toEqual([deploy]);
  });

  // The successor waits for the lease: once in `make test`.
  it.runIf(effort.all || surface === "documented")(
    "causes one deployment although the operator is killed before the answer",
    async () => {
      const record = await env.record();
      const match = { operation: "deployApplication" };
      // The platform has the request, and the operator waits for the answer that never comes.
      env.platform.sim.faults.add({ name: "killed", match, effect: "applied", answer: { is: "silence" } });
      await env.annotate("PlatformApplication", "web", { [REDEPLOY_REQUESTED_AT]: "second" });
      await expect.poll(() => record.calls("deployApplication"), { timeout: 20_000 }).toHaveLength(1);
      await env.kill();
      env.platform.sim.faults.clear();
      await env.start();
      const isDone = (object: KubeObject): boolean => answerOf(object) === "second";
      await env.waitFor("PlatformApplication", "web", isDone);
      await env.waitFor("PlatformApplication", "web", { status: "True" });
      await env.settled();
      expect(record.changes()).toEqual(["deployApplication"]);
    },
  );

  it("is refused with a Warning event where the operator may not deploy", async () => {
    await env.patch("PlatformApplication", "web", { spec: { lifecycle: { managementPolicy: "ObserveOnly" } } });
    await env.settled();
    const record = await env.record();
    await env.annotate("PlatformApplication", "web", { [REDEPLOY_REQUESTED_AT]: "third" });
    await env.waitFor("PlatformApplication", "web", (object) => answerOf(object) === "third");
    const note = expect.stringContaining("managementPolicy is ObserveOnly");
    await expect
      .poll(() => env.list("Event"), { timeout: 10_000 })
      .toContainEqual(expect.objectContaining({ type: "Warning", reason: "RedeployRefused", note }));
    expect(record.changes()).toEqual([]);
  });
});
