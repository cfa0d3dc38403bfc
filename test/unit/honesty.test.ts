/** What the oracles take for a dishonest status, a superfluous write, a leak or a secret that is shown. */
import { Buffer } from "node:buffer";

import { describe, expect, it } from "vitest";

import type { World } from "../../simulator/model/world.ts";
import type { ChaosEnv } from "../chaos/env.ts";
import { exposures } from "../chaos/exposures.ts";
import { leaks } from "../chaos/lifecycle/invariants.ts";
import { inaccurateStatuses, mismatchOf, type Sample } from "../chaos/lifecycle/statuses.ts";
import { excessWrites } from "../chaos/lifecycle/updates.ts";

/** A status that was seen: generation, observed generation, "Type=Status" at a time. */
function sample(generation: number, observedGeneration: number, ...conditions: readonly string[]): Sample {
  const stamps = conditions.map((condition) => {
    const [, type = "", status = "", lastTransitionTime = ""] = /^(\w+)=(\w+)@(\d+)$/.exec(condition) ?? [];
    return { type, status, lastTransitionTime };
  });
  return { name: "a", generation, status: { observedGeneration, conditions: stamps } };
}

describe("the oracle of honest statuses", () => {
  const ready = (status: string, at: number): Sample => sample(1, 1, `Ready=${status}@${at}`);
  it.for<[what: string, samples: readonly Sample[], found: number]>([
    ["what keeps up", [sample(1, -1), sample(1, 1), sample(2, 1), sample(2, 2)], 0],
    ["what runs ahead", [sample(1, 2)], 1],
    ["what goes back", [sample(2, 2), sample(2, 1)], 1],
    ["a condition that changes with its time", [ready("False", 1), ready("True", 2)], 0],
    ["a time that changes alone", [ready("True", 1), ready("True", 2)], 1],
    ["what is Ready and is not so", [{ ...sample(1, 1), mismatch: "it is gone" }], 1],
  ])("%s", ([, samples, found]) => {
    expect(inaccurateStatuses(samples)).toHaveLength(found);
  });

  const world = {
    projects: new Map([["p", {}]]),
    environments: new Map(),
    services: new Map([
      ["good", { state: "DEPLOYED" }],
      ["bad", { state: "BUILD_ERROR" }],
    ]),
    webhooks: new Map(),
    blueprints: new Map(),
    clusters: new Map(),
  } as unknown as World;
  it.for<[id: string | undefined, ready: string, contradicts: boolean]>([
    ["p", "True", false],
    ["good", "True", false],
    ["bad", "True", true],
    ["bad", "False", false],
    ["lost", "True", true],
    ["lost", "Unknown", false],
    [undefined, "True", false],
  ])("%s, Ready=%s: %s", ([externalId, status, contradicts]) => {
    const conditions = [{ type: "Ready", status }];
    const seen = { conditions, ...(externalId !== undefined && { externalId }) };
    expect(mismatchOf(seen, world) !== undefined).toBe(contradicts);
  });
});

describe("the oracle of writes", () => {
  const [meta, other] = ["kube PATCH platformprojects/shop", "kube POST configmaps"];
  const free = [`${meta}/status`, "kube POST events A b", "kube PUT leases/x"];
  it.for<[what: string, done: readonly string[], found: number]>([
    ["as many", [meta, other], 0],
    ["two more changes of metadata", [meta, meta, meta, other], 0],
    ["three more", [meta, meta, meta, meta, other], 1],
    ["a second create", [meta, other, other], 1],
    ["a delete that nobody made before", ["kube DELETE platformprojects/shop"], 1],
    ["statuses, events and leases", Array.from({ length: 9 }, () => free).flat(), 0],
  ])("%s", ([, done, found]) => {
    expect(excessWrites(done, [meta, other])).toHaveLength(found);
  });
});

function bedOf(parts: object): ChaosEnv {
  return { calls: [], logs: () => [], ...parts } as unknown as ChaosEnv;
}

describe("the oracle of leaks", () => {
  const bed = (...names: readonly string[]): ChaosEnv => {
    const projects = new Map(names.map((name, id) => [id, { name }]));
    const none = new Map();
    const others = { environments: none, services: none, webhooks: none, blueprints: none, variables: none };
    return bedOf({ platform: { world: () => ({ projects, ...others }) } });
  };
  it("finds what is left where all can be deleted, and what is there twice where it cannot", () => {
    expect(leaks(bed("was"), ["project was"], "full")).toEqual([]);
    expect(leaks(bed("was", "new"), ["project was"], "full")).toEqual(["O2 left behind: project new"]);
    expect(leaks(bed("was", "new"), ["project was"], "documented")).toEqual([]);
    expect(leaks(bed("new", "new"), [], "documented")).toEqual(["O2 twice on the platform: project new"]);
  });
});

describe("the oracle of secrets", () => {
  const secret = "s3cret/with+odd=letters";
  it.each([secret, Buffer.from(secret).toString("base64"), encodeURIComponent(secret)])("finds %s", (spelling) => {
    const call = { side: "kube", url: "/x", body: Buffer.from(`{"note":"${spelling}"}`) };
    const logs = () => [{ level: "info", message: `it is ${spelling}` }];
    expect(exposures(bedOf({ calls: [call] }), [secret])).not.toEqual([]);
    expect(exposures(bedOf({ logs }), [secret])).not.toEqual([]);
    // The platform is whom they are for.
    expect(exposures(bedOf({ calls: [{ ...call, side: "platform" }] }), [secret])).toEqual([]);
    expect(exposures(bedOf({ calls: [call], logs }), ["another-s3cret"])).toEqual([]);
  });
});
