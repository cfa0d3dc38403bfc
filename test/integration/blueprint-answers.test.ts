import { beforeAll, describe, expect, it } from "vitest";

import { blueprintGround, blueprintsOf } from "../support/blueprint-ground.ts";
import { condition } from "../support/cluster.ts";
import { blueprint } from "../support/manifests.ts";
import { calm, idOf } from "../support/settling.ts";
import { createStage } from "../support/stage.ts";

const KIND = "PlatformBlueprint";

describe("a creation whose answer says nothing, full surface", () => {
  const stage = createStage({ surface: "full" });
  beforeAll(() => blueprintGround(stage));

  it.each(["status", "ids", "none"] as const)("%s: the service is found, and there is one", async (shape) => {
    stage.platform.sim.settings.profile.blueprintDeployed = shape;
    const record = await stage.record();
    await stage.apply(blueprint(shape, "shop"));
    const ready = await stage.waitFor(KIND, shape, { status: "True", reason: "Deployed" });
    expect(blueprintsOf(stage, shape)).toEqual([idOf(ready)]);
    await calm(stage);
    expect(record.changes()).toEqual(["createBlueprint"]);
    expect(ready.metadata.annotations?.["platform-operator.io/intent"]).toBeUndefined();
  });
});

describe("a creation whose answer says nothing, documented surface", () => {
  const stage = createStage({ surface: "documented" });
  beforeAll(() => blueprintGround(stage, { allowUnverifiedIds: true }));

  it.each(["status", "ids", "none"] as const)("%s: a person says what came of it", async (shape) => {
    stage.platform.sim.settings.profile.blueprintDeployed = shape;
    const record = await stage.record();
    await stage.apply(blueprint(shape, "shop"));
    const stalled = await stage.waitFor(KIND, shape, { reason: "CreateResultUnknown" });
    expect(condition(stalled, "Ready")?.message).toMatch(/spec\.externalId.*platform-operator\.io\/resolve=recreate/);
    const [id = ""] = blueprintsOf(stage, shape);
    await stage.patch(KIND, shape, { spec: { externalId: id } });
    const ready = await stage.waitFor(KIND, shape, { status: "True" });
    expect(idOf(ready)).toBe(id);
    await calm(stage);
    expect(record.changes()).toEqual(["createBlueprint"]);
  });
});
