import { beforeAll, describe, expect, inject, it } from "vitest";

import { removeService } from "../../simulator/model/world.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { calm, idOf } from "../support/env/settling.ts";
import { blueprint } from "../support/kube/manifests.ts";
import { cli } from "../support/programs/cli.ts";
import { blueprintFixture, blueprintsOf } from "../support/services/blueprint-fixture.ts";

const KIND = "PlatformBlueprint";
const { kubeconfigPath } = inject("controlPlane");

describe("a creation whose answer says nothing, full surface", () => {
  const env = createEnv({ surface: "full" });
  beforeAll(() => blueprintFixture(env));

  it.each(effort.few(["status", "ids", "none"] as const))(
    "%s: the service is found, and there is one",
    async (shape) => {
      env.platform.sim.settings.profile.blueprintDeployed = shape;
      const record = await env.record();
      await env.apply(blueprint(shape, "shop"));
      const ready = await env.waitFor(KIND, shape, { status: "True", reason: "Deployed" });
      expect(blueprintsOf(env, shape)).toEqual([idOf(ready)]);
      await calm(env);
      expect(record.changes()).toEqual(["createBlueprint"]);
      expect(ready.metadata.annotations?.["platform-operator.io/intent"]).toBeUndefined();
    },
  );
});

describe("a creation whose answer says nothing, documented surface", () => {
  const env = createEnv({ surface: "documented" });
  beforeAll(() => blueprintFixture(env));

  it.each(effort.few(["status", "ids", "none"] as const))("%s: a person says what came of it", async (shape) => {
    env.platform.sim.settings.profile.blueprintDeployed = shape;
    const record = await env.record();
    await env.apply(blueprint(shape, "shop"));
    const stalled = await env.waitFor(KIND, shape, { reason: "CreateResultUnknown" });
    const [id = ""] = blueprintsOf(env, shape);
    const [, command = ""] = /then run: kubectl platform (.*)$/.exec(condition(stalled, "Ready")?.message ?? "") ?? [];
    const { code } = await cli([...command.replace(/ID$/, id).split(" "), "--kubeconfig", kubeconfigPath]);
    expect(code).toBe(0);
    // The status of the service names the deployment request, by which it is followed from then on.
    const reason = shape === "status" ? "Deployed" : "Available";
    const ready = await env.waitFor(KIND, shape, { status: "True", reason });
    expect(idOf(ready)).toBe(id);
    await calm(env);
    expect(record.changes()).toEqual(["createBlueprint"]);
  });
});

describe("a blueprint under policies, full surface", () => {
  const env = createEnv({ surface: "full" });
  beforeAll(() => blueprintFixture(env));

  it("is not created where the operator may only observe, and taken over once others made it", async () => {
    const record = await env.record();
    await env.apply(blueprint("watched", "shop", { lifecycle: { managementPolicy: "ObserveOnly" } }));
    await env.waitFor(KIND, "watched", { reason: "NotCreated" });
    expect(record.changes()).toEqual([]);
    await env.apply(blueprint("maker", "shop", { name: "made" }));
    const maker = await env.waitFor(KIND, "maker", { status: "True" });
    const observing = { name: "made", externalId: idOf(maker), lifecycle: { managementPolicy: "ObserveOnly" } };
    await env.remove(KIND, "maker");
    await env.waitGone(KIND, "maker");
    await env.apply(blueprint("observer", "shop", observing));
    const observer = await env.waitFor(KIND, "observer", { status: "True", reason: "Deployed" });
    expect(idOf(observer)).toBe(idOf(maker));
    expect(record.changes()).toEqual(["createBlueprint"]);
  });

  it("is created after its plan was approved", async () => {
    const record = await env.record();
    await env.apply(blueprint("planned", "shop", { lifecycle: { applyPolicy: "Manual" } }));
    const waiting = await env.waitFor(KIND, "planned", { reason: "ApprovalPending" });
    const { plan }: { plan?: { hash: string } } = Object(waiting.status);
    expect(plan).toMatchObject({ actions: [{ operation: "createBlueprint", message: 'Creating service "planned".' }] });
    expect(record.changes()).toEqual([]);
    await env.annotate(KIND, "planned", { "platform-operator.io/approved-plan": plan?.hash ?? "" });
    await env.waitFor(KIND, "planned", { status: "True", reason: "Deployed" });
    expect(record.changes()).toEqual(["createBlueprint"]);
  });

  it("that is gone is created anew where the user wants it, once", async () => {
    await env.apply(blueprint("again", "shop", { lifecycle: { onMissing: "Recreate" } }));
    const before = await env.waitFor(KIND, "again", { status: "True", reason: "Deployed" });
    const harness = env.platform.world();
    const made = [...harness.services.values()].find(({ blueprintId }) => blueprintId === idOf(before));
    if (made !== undefined) removeService(harness, made);
    const record = await env.record();
    const after = await env.waitFor(
      KIND,
      "again",
      (object) => condition(object, "Ready")?.status === "True" && idOf(object) !== idOf(before),
    );
    expect(blueprintsOf(env, "again")).toEqual([idOf(after)]);
    await calm(env);
    expect(record.changes()).toEqual(["createBlueprint"]);
  });
});
