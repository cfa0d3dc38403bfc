/** PlatformOperation on the real control plane: carried out once, whatever becomes of it, and reported by its target. */
import { beforeAll, describe, expect, it } from "vitest";

import { newCluster } from "../../simulator/model/seed.ts";
import { RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { member } from "../../src/kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { condition, type Condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { COMMIT, database, defaults, operation, tree } from "../support/kube/manifests.ts";
import { losses } from "./lost-writes.ts";

const DATABASE = "PlatformDatabase";
const OPERATION = "PlatformOperation";
const applicationRef = { name: "web" };
const databaseRef = { name: "orders" };

const reported = ({ status }: KubeObject): boolean => member(member(status, "lastOperation"), "result") !== undefined;

const over = (env: Env, name: string): Promise<KubeObject> =>
  env.waitFor(OPERATION, name, ({ status }) => member(status, "outcome") !== undefined);

/** The conditions for the end of an operation: none before, one after. */
function endsOf(object: KubeObject): readonly Condition[] {
  return ["Complete", "Failed"].flatMap((type) => condition(object, type) ?? []);
}

describe.each(effort.few(["documented", "full"] as const))("an operation, %s surface", (surface) => {
  // Far longer than what is late takes: on a busy machine neither clock is punctual.
  const env = createEnv({ surface, windows: { landingMs: 4_000 } });
  const isFull = surface === "full";

  beforeAll(async () => {
    await env.ready(...defaults(env, { allowUnverifiedIds: true }), ...tree(env, "web"), database("orders", "web"));
    await env.settled();
  }, 60_000);

  const carriedOut = async (name: string, spec: JsonObject): Promise<KubeObject> => {
    await env.apply(operation(name, spec));
    return env.waitFor(OPERATION, name, { type: "Complete", status: "True" });
  };

  it("stops a database, which reports it and is not started unasked, and what is over is not done again", async () => {
    const record = await env.record();
    await carriedOut("stop-orders", { type: "StopDatabase", databaseRef });
    const stopped = await env.waitFor(DATABASE, "orders", { type: "Stalled", status: "True" });
    expect(condition(stopped, "Ready")).toMatchObject({
      status: "False",
      reason: "DriftDetected",
      message: expect.stringContaining(`${env.namespace}/stop-orders`),
    });
    expect(condition(stopped, "Deployed")).toMatchObject({ status: "False", reason: "STOPPED" });
    expect(condition(stopped, "Drifted")).toMatchObject({ status: "True" });
    await env.waitFor(DATABASE, "orders", reported);
    await env.settled();
    const since = await env.record();
    await env.annotate(OPERATION, "stop-orders", { [RECONCILE_REQUESTED_AT]: "now" });
    await env.patch(OPERATION, "stop-orders", { metadata: { labels: { touched: "yes" } } });
    await env.settled();
    expect((await since.writes()).objects).toEqual([]);
    expect(record.changes()).toEqual(["stopDatabase"]);

    await carriedOut("start-orders", { type: "DeployDatabase", databaseRef });
    const started = await env.waitFor(DATABASE, "orders", { status: "True", reason: "Available" });
    expect(condition(started, "Drifted")?.status).not.toBe("True");
    expect(started.status).toMatchObject({ state: "DEPLOYED", lastOperation: { operation: "deployDatabase" } });
    expect(record.changes()).toEqual(["stopDatabase", "deployDatabase"]);
  });

  it("costs the API server few writes, and is deleted when its time is over", async () => {
    const record = await env.record();
    await env.apply(operation("brief", { type: "SendInvoices", ttlSecondsAfterFinished: 2 }));
    expect(endsOf(await over(env, "brief"))).toHaveLength(1);
    await env.waitGone(OPERATION, "brief");
    const { objects } = await record.writes();
    const own = objects.filter(({ name }) => name === "brief").map(({ verb, what }) => `${verb} ${what}`);
    const status = "patch platformoperations/status";
    expect(own).toEqual([status, "patch platformoperations", status, "delete platformoperations"]);
    expect(record.changes()).toEqual(["downloadInvoices"]);
  });

  describe("[A4] whose outcome is unknown", () => {
    const targets: readonly (readonly [op: string, spec: JsonObject, isSeen: boolean, isRepeated: boolean])[] = [
      ["deployApplication", { type: "DeployApplication", applicationRef, gitCommitId: COMMIT }, true, false],
      // A stop changes nothing when it is repeated, so it is sent once more where nothing shows its outcome.
      ["stopCluster", { type: "StopCluster" }, isFull, !isFull],
      ["downloadInvoices", { type: "SendInvoices" }, false, false],
    ];
    const rows = targets.flatMap(([op, spec, isSeen, isRepeated]) =>
      losses
        // An application is observed for a while; one observation of the others is enough.
        .filter(({ fault: { effect, answer } }) => {
          return op === "deployApplication" || (effect !== "late" && answer.is === "reset");
        })
        .map(({ what, fault }, index) => {
          const calls = isRepeated || (isSeen && fault.effect === "none") ? 2 : 1;
          const isKnown = isSeen || isRepeated;
          return { op, spec, what, fault, calls, isKnown, name: `${op.toLowerCase()}-${index}` };
        }),
    );

    it.each(rows)(
      "$op that $what: never twice, but for a stop that nothing shows",
      async ({ op, spec, fault, calls, isKnown, name }) => {
        const { sim, organizationId } = env.platform;
        const cluster = newCluster(sim.ids, sim.time, organizationId, { name, region: "eu-west-3" });
        sim.world.clusters.set(cluster.id, cluster);
        const clusterRef = { externalId: cluster.id };
        const record = await env.record();
        sim.faults.add({ ...fault, name, match: { operation: op } });
        await env.apply(operation(name, { ...spec, ...(op === "stopCluster" && { clusterRef }) }));
        const done = await over(env, name);
        const end = isKnown ? { status: "True" } : { status: "Unknown", reason: "OperationResultUnknown" };
        expect(endsOf(done)).toMatchObject([{ type: "Complete", ...end }]);
        await env.settled();
        expect(record.calls(op)).toHaveLength(calls);
        const effects = record.calls(op).flatMap((call) => call.effects);
        expect(effects).toHaveLength(isKnown || fault.effect !== "none" ? 1 : 0);
      },
    );
  });
});
