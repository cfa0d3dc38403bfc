import { describe, expect, it } from "vitest";

import { stored } from "../../../test/support/kube/stored.ts";
import { storeMetrics } from "../../../test/support/platform/metrics.ts";
import { PAUSED } from "../../api/names.ts";
import type { JsonObject, ObjectMeta } from "../../kube/api/types.ts";

const KEY = "PlatformApplication/shop/api";
const CALL = "platform_operator_apply_to_call_seconds";
const READY = "platform_operator_apply_to_ready_seconds";

/** The metrics of a store on a leading replica; the clock starts at midnight. */
function setting({ leads = true } = {}) {
  const own = { seconds: 0 };
  const { store, metrics } = storeMetrics({
    kinds: ["PlatformApplication"],
    leading: () => leads,
    now: () => new Date(own.seconds * 1_000),
  });
  const figures = async () => {
    const series = (await metrics.registry.metrics()).split("\n");
    const of = (name: string) => series.find((line) => line.startsWith(`${name}{`))?.split(" ")[1];
    return [CALL, READY].map((name) => `${of(`${name}_count`)} in ${of(`${name}_sum`)} s`);
  };
  return Object.assign(own, {
    /** Stores the object at a time with a generation, its conditions for that generation, and further metadata. */
    at: (time: number, generation: number, conditions: readonly JsonObject[], metadata: Partial<ObjectMeta> = {}) => {
      own.seconds = time;
      const status = { conditions: conditions.map((each) => ({ observedGeneration: generation, ...each })) };
      store.upsert(stored("PlatformApplication", "api", { metadata: { generation, ...metadata }, status }));
    },
    called: (time: number) => {
      own.seconds = time;
      metrics.called(KEY);
    },
    /** The number and the sum of the times to the first request, and of those to Ready. */
    figures,
  });
}

const READY_TRUE = [{ type: "Ready", status: "True", reason: "Deployed" }];
const NONE = "0 in 0 s";
const working = (reason: string): readonly JsonObject[] => [
  { type: "Ready", status: "False", reason },
  { type: "Reconciling", status: "True", reason: "Progressing" },
];

describe("the time from a new generation of a spec", () => {
  it("is observed once until the first request and once until Ready", async () => {
    const env = setting();
    env.at(0, 1, []);
    env.called(2);
    env.called(3);
    env.at(10, 1, working("Deploying"));
    env.at(130, 1, READY_TRUE);
    env.at(140, 1, READY_TRUE);
    env.called(150);
    expect(await env.figures()).toEqual(["1 in 2 s", "1 in 130 s"]);
  });

  it("is measured from the newest generation", async () => {
    const env = setting();
    env.at(0, 1, READY_TRUE);
    env.at(100, 2, []);
    env.at(200, 3, []);
    env.called(201);
    env.at(205, 3, READY_TRUE);
    expect(await env.figures()).toEqual(["1 in 1 s", "1 in 5 s"]);
  });

  const waits = ["ParentNotReady", "ApprovalPending"];
  it.each(waits)("is measured from the end of %s, without the time until the first request", async (reason) => {
    const env = setting();
    env.at(0, 1, []);
    env.at(5, 1, working(reason));
    env.called(3_000);
    env.at(3_001, 1, working("Creating"));
    env.called(3_002);
    env.at(3_011, 1, READY_TRUE);
    expect(await env.figures()).toEqual([NONE, "1 in 10 s"]);
  });

  it.each([
    ["that is stalled", [{ type: "Stalled", status: "True", reason: "BuildFailed" }], {}],
    ["that is paused", [], { annotations: { [PAUSED]: "true" } }],
    ["that is being deleted", [], { deletionTimestamp: "2026-01-01T00:00:00Z", generation: 3 }],
  ])("is not observed for an object %s", async (_what, conditions, metadata) => {
    const env = setting();
    env.at(0, 1, READY_TRUE);
    env.at(10, 2, []);
    env.at(20, 2, conditions, metadata);
    env.called(30);
    env.at(40, 2, READY_TRUE, metadata);
    expect(await env.figures()).toEqual([NONE, NONE]);
  });

  it("is not observed by a replica that does not lead", async () => {
    const env = setting({ leads: false });
    env.at(0, 1, []);
    env.called(2);
    env.at(5, 1, READY_TRUE);
    expect(await env.figures()).toEqual([NONE, NONE]);
  });
});
