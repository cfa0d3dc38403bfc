import { beforeAll, describe, expect, it } from "vitest";

import { member } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition } from "../support/env/cluster.ts";
import { ground } from "../support/env/databases.ts";
import { createStage, type Stage } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import { type ServiceKind, SERVICE_KINDS } from "../support/services/service-kinds.ts";

const ready = { status: "True" } as const;
const retry = (limit: number): JsonObject => ({ retry: { limit, backoff: "0m" } });

/** Applies a service that is not deployed yet, and lets its next deployments fail. */
async function failing({ kind, manifest }: ServiceKind, stage: Stage, name: string, times: number): Promise<void> {
  await stage.apply(manifest(name, "staging", { runState: "Stopped", lifecycle: retry(2) }));
  const id = idOf(await stage.waitFor(kind, name, ready));
  const service = stage.platform.world().services.get(id);
  service?.failNext.push(...Array.from({ length: times }, () => "deploy" as const));
  await stage.settled();
}

for (const surface of ["documented", "full"] as const) {
  describe(`the retry of services on the ${surface} surface`, () => {
    const stage = createStage({ surface });
    beforeAll(() => ground(stage));

    it.each(SERVICE_KINDS)("$noun: starts a failed deployment again, until it succeeds", async (of) => {
      await failing(of, stage, `mends-${of.noun}`, 2);
      const record = await stage.record();
      await stage.patch(of.kind, `mends-${of.noun}`, { spec: { runState: "Running" } });
      const mended = await stage.waitFor(
        of.kind,
        `mends-${of.noun}`,
        ({ status }) => member(status, "state") === "DEPLOYED",
      );
      expect(member(member(mended.status, "lastDeployment"), "attempts")).toBe(2);
      expect(record.changes()).toEqual([of.deploy, of.deploy, of.deploy]);
      await stage.settled();
      await stage.quiet(1);
    });

    it.each(SERVICE_KINDS)("$noun: ends at its limit, and a person goes on", async (of) => {
      const name = `breaks-${of.noun}`;
      await failing(of, stage, name, 3);
      const record = await stage.record();
      await stage.patch(of.kind, name, { spec: { runState: "Running" } });
      const broken = await stage.waitFor(of.kind, name, { type: "Stalled", status: "True" });
      expect(condition(broken, "Ready")).toMatchObject({ status: "False", reason: "DeploymentFailed" });
      await stage.settled();
      expect(record.changes()).toEqual([of.deploy, of.deploy, of.deploy]);
      await stage.annotate(of.kind, name, { "platform-operator.io/reconcile-requested-at": "now" });
      await stage.waitFor(of.kind, name, ({ status }) => member(status, "state") === "DEPLOYED");
      expect(record.changes()).toHaveLength(4);
    });
  });
}
