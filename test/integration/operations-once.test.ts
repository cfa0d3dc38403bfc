/** PlatformOperation: never twice, whatever becomes of its request or of the operator. */
import { beforeAll, describe, expect, it, vi } from "vitest";

import { newCluster } from "../../simulator/model/seed.ts";
import type { FaultInput } from "../../simulator/request/faults.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { endsOf, over } from "../support/kinds/operations.ts";
import { COMMIT, defaults, operation, tree } from "../support/kube/manifests.ts";

describe.each(effort.few(["documented", "full"] as const))("an operation, %s surface", (surface) => {
  // Without a lease, whose time would have to run out first.
  const env = createEnv({ surface, args: ["--leader-elect=false"] });
  const isFull = surface === "full";

  beforeAll(async () => {
    await env.ready(...defaults(env, { allowUnverifiedIds: true }), ...tree(env, "web"));
    await env.settled();
  }, 60_000);

  describe("[A4] whose outcome is unknown", () => {
    const losses: readonly (readonly [what: string, fault: Omit<FaultInput, "match">])[] = [
      ["is applied and its answer lost", { effect: "applied", answer: { is: "reset" } }],
      ["lands late", { effect: "late", lateSeconds: 0.5, answer: { is: "reset" } }],
      ["is applied and answered with 502", { effect: "applied", answer: { is: "status", status: 502 } }],
      ["is lost before its effect", { effect: "none", answer: { is: "reset" } }],
    ];
    const targets: readonly (readonly [operation: string, target: "application" | "cluster" | "none", JsonObject])[] = [
      ["deployApplication", "application", { type: "DeployApplication", applicationRef: { name: "web" } }],
      ["stopCluster", "cluster", { type: "StopCluster" }],
      ["downloadInvoices", "none", { type: "SendInvoices" }],
    ];
    const rows = targets.flatMap(([op, target, spec]) =>
      losses
        // An application is observed for a while; one observation of the others is enough.
        .filter(([, { effect, answer }]) => target === "application" || (effect !== "late" && answer.is === "reset"))
        .map(([what, fault]) => ({ op, target, spec, what, fault })),
    );

    it.each(rows)(
      "$op that $what: never twice, but for a stop that nothing shows",
      async ({ op, target, spec, fault }) => {
        const name = `unknown-${rows.findIndex((row) => row.op === op && row.fault === fault)}`;
        const { sim, organizationId } = env.platform;
        const cluster = newCluster(sim.ids, sim.time, organizationId, { name, region: "eu-west-3" });
        sim.world.clusters.set(cluster.id, cluster);
        const more = {
          application: { gitCommitId: COMMIT },
          cluster: { clusterRef: { externalId: cluster.id } },
          none: {},
        }[target];
        const record = await env.record();
        sim.faults.add({ ...fault, name, match: { operation: op } });
        await env.apply(operation(name, { ...spec, ...more }));
        const done = await over(env, name);
        const isSeen = target === "application" || (target === "cluster" && isFull);
        // A stop changes nothing when it is repeated, so it is sent once more where nothing shows its outcome.
        const isRepeated = target === "cluster" && !isFull;
        const end = isRepeated ? { status: "True" } : { status: "Unknown", reason: "OperationResultUnknown" };
        expect(endsOf(done)).toMatchObject([{ type: "Complete", ...(isSeen ? { status: "True" } : end) }]);
        await env.settled();
        expect(record.calls(op)).toHaveLength(isRepeated || (isSeen && fault.effect === "none") ? 2 : 1);
        const effects = record.calls(op).flatMap((call) => call.effects);
        expect(effects.length).toBe(isSeen || isRepeated || fault.effect !== "none" ? 1 : 0);
      },
    );
  });

  it.each(["applied", "none"] as const)(
    "SIGKILL between the request (%s) and its record: never twice",
    async (effect) => {
      for (const [op, spec] of [
        ["deployApplication", { type: "DeployApplication", applicationRef: { name: "web" }, gitCommitId: "1234567" }],
        ["downloadInvoices", { type: "SendInvoices" }],
      ] as const) {
        const name = `killed-${op.toLowerCase()}-${effect}`;
        const record = await env.record();
        const { faults } = env.platform.sim;
        faults.add({ name, match: { operation: op }, effect, answer: { is: "slow", seconds: 6 } });
        await env.apply(operation(name, spec));
        const sent = () => record.calls(op).filter(({ fault }) => fault === name);
        await vi.waitFor(() => expect(sent()).toHaveLength(1), { timeout: 15_000, interval: 5 });
        await env.kill();
        await env.start();
        const done = await over(env, name);
        const isSeen = op === "deployApplication";
        expect(endsOf(done)).toMatchObject([{ type: "Complete", status: isSeen ? "True" : "Unknown" }]);
        await env.settled();
        const effects = record.calls(op).flatMap((call) => call.effects);
        expect(effects).toHaveLength(isSeen || effect === "applied" ? 1 : 0);
      }
    },
  );
});
