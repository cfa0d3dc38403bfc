/** What the oracles take for a dishonest status, a superfluous write, a leak or a secret that is shown. */
import { Buffer } from "node:buffer";

import { describe, expect, it } from "vitest";

import type { World } from "../../simulator/model/world.ts";
import type { ChaosEnv } from "../chaos/env.ts";
import { exposures } from "../chaos/exposures.ts";
import { leaks, loggedErrors } from "../chaos/lifecycle/invariants.ts";
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
  it.for<{ what: string; samples: readonly Sample[]; found: number }>([
    { what: "what keeps up", samples: [sample(1, -1), sample(1, 1), sample(2, 1), sample(2, 2)], found: 0 },
    { what: "what runs ahead", samples: [sample(1, 2)], found: 1 },
    { what: "what goes back", samples: [sample(2, 2), sample(2, 1)], found: 1 },
    {
      what: "a condition that changes with its time",
      samples: [sample(1, 1, "Ready=False@1"), sample(1, 1, "Ready=True@2")],
      found: 0,
    },
    {
      what: "a time that changes alone",
      samples: [sample(1, 1, "Ready=True@1"), sample(1, 1, "Ready=True@2")],
      found: 1,
    },
    { what: "what is Ready and is not so", samples: [{ ...sample(1, 1), mismatch: "it is gone" }], found: 1 },
  ])("$what", ({ samples, found }) => {
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
  it.for<{ what: string; done: readonly string[]; found: number }>([
    { what: "as many", done: [meta, other], found: 0 },
    { what: "two more changes of metadata", done: [meta, meta, meta, other], found: 0 },
    { what: "three more", done: [meta, meta, meta, meta, other], found: 1 },
    { what: "a second create", done: [meta, other, other], found: 1 },
    { what: "a delete that nobody made before", done: ["kube DELETE platformprojects/shop"], found: 1 },
    {
      what: "statuses, events and leases",
      done: Array.from({ length: 9 }, () => [`${meta}/status`, "kube POST events A b", "kube PUT leases/x"]).flat(),
      found: 0,
    },
  ])("$what", ({ done, found }) => {
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

describe("the oracle of upsets", () => {
  it("goes by errors in the log", () => {
    const lines = ["error unexpected error", "info nothing unexpected", "error the API server is away"];
    const logs = () => lines.map((line) => ({ level: line.split(" ")[0], message: line }));
    expect(loggedErrors(bedOf({ logs }))).toEqual(["O6 the log says: error unexpected error"]);
  });
});
