import { beforeAll, describe, expect, it } from "vitest";

import { member } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition } from "../support/env/cluster.ts";
import { fixture } from "../support/env/databases.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import { type ServiceKind, SERVICE_KINDS } from "../support/services/service-kinds.ts";

const ready = { status: "True" } as const;
const retry = (limit: number): JsonObject => ({ retry: { limit, backoff: "0m" } });

/** Applies a service that is not deployed yet, and lets its next deployments fail. */
async function failing({ kind, manifest }: ServiceKind, env: Env, name: string, times: number): Promise<void> {
  await env.apply(manifest(name, "staging", { runState: "Stopped", lifecycle: retry(2) }));
  const id = idOf(await env.waitFor(kind, name, ready));
  const service = env.platform.world().services.get(id);
  service?.failNext.push(...Array.from({ length: times }, () => "deploy" as const));
  await env.settled();
}

for (const surface of ["documented", "full"] as const) {
  describe(`the retry of services on the ${surface} surface`, () => {
    const env = createEnv({ surface });
    beforeAll(() => fixture(env));

    it.each(SERVICE_KINDS)("$noun: starts a failed deployment again, until it succeeds", async (of) => {
      await failing(of, env, `mends-${of.noun}`, 2);
      const record = await env.record();
      await env.patch(of.kind, `mends-${of.noun}`, { spec: { runState: "Running" } });
      const mended = await env.waitFor(
        of.kind,
        `mends-${of.noun}`,
        ({ status }) => member(status, "state") === "DEPLOYED",
      );
      expect(member(member(mended.status, "lastDeployment"), "attempts")).toBe(2);
      expect(record.changes()).toEqual([of.deploy, of.deploy, of.deploy]);
      await env.settled();
      await env.quiet(1);
    });

    it.each(SERVICE_KINDS)("$noun: ends at its limit, and a person goes on", async (of) => {
      const name = `breaks-${of.noun}`;
      await failing(of, env, name, 3);
      const record = await env.record();
      await env.patch(of.kind, name, { spec: { runState: "Running" } });
      const broken = await env.waitFor(of.kind, name, { type: "Stalled", status: "True" });
      expect(condition(broken, "Ready")).toMatchObject({ status: "False", reason: "DeploymentFailed" });
      await env.settled();
      expect(record.changes()).toEqual([of.deploy, of.deploy, of.deploy]);
      await env.annotate(of.kind, name, { "platform-operator.io/reconcile-requested-at": "now" });
      await env.waitFor(of.kind, name, ({ status }) => member(status, "state") === "DEPLOYED");
      expect(record.changes()).toHaveLength(4);
    });
  });
}
