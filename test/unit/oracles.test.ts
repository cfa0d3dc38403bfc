/** What the oracles of the lives take for a violation: one that found nothing could be one that cannot. */
import { describe, expect, it } from "vitest";

import type { World } from "../../simulator/model/world.ts";
import type { CallEntry, Effect } from "../../simulator/request/journal.ts";
import type { Evidence } from "../chaos/effects.ts";
import type { ChaosEnv, UserAction } from "../chaos/env.ts";
import { exposures } from "../chaos/exposures.ts";
import { doubleActions } from "../chaos/lifecycle/actions.ts";
import { duplicates, leaks } from "../chaos/lifecycle/invariants.ts";
import { maxReconciles } from "../chaos/lifecycle/reconciles.ts";
import { inaccurateStatuses, mismatchOf, type Sample } from "../chaos/lifecycle/statuses.ts";
import { excessWrites } from "../chaos/lifecycle/updates.ts";

type Entry = readonly [operation: string, path: string, effect?: Effect | undefined, status?: number];

/** @returns what is left of a run in which these were the calls, a second apart, and these the questions. */
function evidence(
  entries: readonly Entry[],
  actions: readonly UserAction[] = [],
  surface: "documented" | "full" = "full",
  calls: Evidence["calls"] = [],
): Evidence {
  const journal = entries.map(([operation, path, effect, status = 200], seq): CallEntry => ({
    ...{ is: "call", seq, at: new Date(seq * 1_000).toISOString(), virtualMs: seq * 1_000, method: "POST", path },
    ...{ operation, principal: null, body: { name: path.split("/").at(-1) ?? "" }, status, fault: null },
    effects: effect === undefined ? [] : [effect],
  }));
  const platform = { journal: () => journal, sim: { settings: { surface } } };
  return { platform, calls, userActions: [...actions] };
}

const create = (kind: string, name: string): Entry => [`create${kind}`, `/${name}`, { created: `id-${name}` }];
const deploy = (kind: string, name: string, commit: string | null = null): Entry => [
  `deploy${kind}`,
  `/${kind.toLowerCase()}/id-${name}/deploy`,
  { deployed: `id-${name}`, commit, request: null },
];
const stop = (name: string): Entry => [
  "stopDatabase",
  `/database/id-${name}/stop`,
  { stopped: `id-${name}`, request: null },
];
const write = (application: string, name = "A"): Entry => [
  "importEnvironmentVariable",
  `/application/id-${application}/environmentVariable/import`,
  { imported: `id-${application}`, names: [name] },
];
const repeat = (name: string, repeats: UserAction["repeats"]): UserAction => ({
  kind: "PlatformDatabase",
  name,
  repeats,
});

describe("the oracle of duplicates", () => {
  const [a, b] = [create("Project", "a"), create("Project", "b")];
  it.for<[what: string, entries: readonly Entry[], found: number]>([
    ["one of each", [a, b], 0],
    ["one that stands twice", [a, a], 1],
    ["one whose name was taken when it was asked for again", [a, ["createProject", "/a", undefined, 409]], 1],
    ["one that was refused for another reason before", [["createProject", "/a", undefined, 422], a], 0],
  ])("finds them only where there are some: %s", ([, entries, found]) => {
    expect(duplicates(evidence(entries))).toHaveLength(found);
  });
});

describe("the oracle of double actions", () => {
  const again = deploy("Application", "api", "c1");
  const app = [create("Application", "api"), again];
  const base = [create("Database", "d"), deploy("Database", "d"), stop("d")];
  it.for<[what: string, entries: readonly Entry[], found: number, ...actions: UserAction[]]>([
    ["another commit", [...app, deploy("Application", "api", "c2")], 0],
    ["the same commit", [...app, again], 1],
    ["a variable of its own", [...app, write("api"), again], 0],
    ["a variable of another", [...app, write("web"), again], 1],
    ["a variable, for a database", [...base, write("api"), deploy("Database", "d")], 1],
    ["a second stop", [...base, stop("d")], 1],
    ["a stop that the user requested", [...base, stop("d")], 0, repeat("d", "stop")],
    ["two for one request", [...base, stop("d"), stop("d")], 1, repeat("d", "stop")],
    ["a request of another action", [...base, stop("d")], 1, repeat("d", "deploy")],
    ["a request for another one", [...base, stop("d")], 1, repeat("e", "stop")],
    ["a resolved create", [...base, stop("d")], 1, repeat("d", undefined)],
  ])("finds them only where there are some: %s", ([, entries, found, ...actions]) => {
    expect(doubleActions(evidence(entries, actions), 0)).toHaveLength(found);
  });

  it.for<[what: string, name: string, recordedAt: number, found: number]>([
    ["of a set, recorded after the deployment", "SHARED", 2_500, 0],
    ["of a set, recorded before the deployment", "SHARED", 1_200, 1],
    ["of the application, beside the status of a set", "A", 2_500, 1],
  ])("knows which deployments a variable causes: a variable %s", ([, name, at, found]) => {
    // Written at 1 s, deployed at 2 s and 3 s.
    const entries = [create("Application", "api"), write("api", name), again, again];
    const record = { what: "kube PATCH platformvariablesets/settings/status", at } as Evidence["calls"][number];
    expect(doubleActions(evidence(entries, [], "full", [record]), 0)).toHaveLength(found);
  });

  it.for<[what: string, entries: readonly Entry[], found: number]>([
    ["a second stop", [...base, stop("d")], 0],
    ["a third stop", [...base, stop("d"), stop("d")], 1],
    ["a second deployment of a database", [...base, deploy("Database", "d")], 0],
    ["a second deployment of an application", [...app, again], 1],
  ])("allows one repetition on the documented surface: %s", ([, entries, found]) => {
    expect(doubleActions(evidence(entries, [], "documented"), 0)).toHaveLength(found);
  });
});

/** A status that was seen: generation, observed generation, "Type=Status" at a time. */
function sample(generation: number, observedGeneration: number, ...seen: readonly string[]): Sample {
  const conditions = seen.map((text) => {
    const [type = "", status = "", lastTransitionTime = ""] = text.split(/[=@]/);
    return { type, status, lastTransitionTime };
  });
  return { name: "a", generation, status: { observedGeneration, conditions } };
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
  ])("finds statuses that are not: %s", ([, samples, found]) => {
    expect(inaccurateStatuses(samples)).toHaveLength(found);
  });

  const none = new Map();
  const services = new Map(Object.entries({ good: { state: "DEPLOYED" }, bad: { state: "BUILD_ERROR" } }));
  const others = { environments: none, webhooks: none, blueprints: none, clusters: none };
  const world = { ...others, projects: new Map([["p", {}]]), services } as unknown as World;
  it.for<[id: string | undefined, ready: string, contradicts: boolean]>([
    ["p", "True", false],
    ["good", "True", false],
    ["bad", "True", true],
    ["bad", "False", false],
    ["lost", "True", true],
    ["lost", "Unknown", false],
    [undefined, "True", false],
  ])(
    "compares Ready with the object on the platform: %s, Ready=%s, contradiction %s",
    ([externalId, status, contradicts]) => {
      const conditions = [{ type: "Ready", status }];
      const seen = { conditions, ...(externalId !== undefined && { externalId }) };
      expect(mismatchOf(seen, world) !== undefined).toBe(contradicts);
    },
  );
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
  ])("finds more writes than expected: %s", ([, done, found]) => {
    expect(excessWrites(done, [meta, other])).toHaveLength(found);
  });
});

const bedOf = (parts: object): ChaosEnv => ({ calls: [], logs: () => [], ...parts }) as unknown as ChaosEnv;

it("the oracle of leaks finds what is left where everything can be deleted, and duplicates where it cannot", () => {
  const none = new Map();
  const others = { environments: none, services: none, webhooks: none, blueprints: none, variables: none };
  const bed = (...names: readonly string[]): ChaosEnv => {
    const projects = new Map(names.map((name, id) => [id, { name }]));
    return bedOf({ platform: { world: () => ({ projects, ...others }) } });
  };
  expect(leaks(bed("was"), ["project was"], "full")).toEqual([]);
  expect(leaks(bed("was", "new"), ["project was"], "full")).toEqual(["O2 left behind: project new"]);
  expect(leaks(bed("was", "new"), ["project was"], "documented")).toEqual([]);
  expect(leaks(bed("new", "new"), [], "documented")).toEqual(["O2 twice on the platform: project new"]);
});

const SECRET = "s3cret/with+odd=letters";
const spellings = [SECRET, Buffer.from(SECRET).toString("base64"), encodeURIComponent(SECRET)];
it.each(spellings)("the oracle of secrets finds the spelling %s", (spelling) => {
  const call = { side: "kube", url: "/x", body: Buffer.from(`{"note":"${spelling}"}`) };
  const logs = () => [{ level: "info", message: `it is ${spelling}` }];
  expect(exposures(bedOf({ calls: [call] }), [SECRET])).not.toEqual([]);
  expect(exposures(bedOf({ logs }), [SECRET])).not.toEqual([]);
  // The platform is whom they are for.
  expect(exposures(bedOf({ calls: [{ ...call, side: "platform" }] }), [SECRET])).toEqual([]);
  expect(exposures(bedOf({ calls: [call], logs }), ["another-s3cret"])).toEqual([]);
});

describe("the count of reconciles of an object", () => {
  const end = (second: number, name = "api") => ({
    ...{ level: "debug", logger: "engine", message: "reconciled", kind: "PlatformApplication", name },
    time: new Date(second * 1_000).toISOString(),
  });
  const change = (second: number) => ({ ...end(second), logger: "changes", message: "deployApplication" });
  const write = (second: number, what = "api/status") => ({
    what: `kube PATCH platformapplications/${what}`,
    at: second * 1_000,
  });
  const meta = (...seconds: readonly number[]) => seconds.map((second) => write(second, "api"));
  const states = [write(1), write(3), write(5)];
  const ends = [end(2), end(4), end(6)];
  const two = [write(1, "api"), write(1, "web"), write(3, "web")];

  it.each([
    ["none", [], [end(1)], [0, 0]],
    ["waits and states that are reported, and an end", states, ends, [1, 3]],
    ["a change of the platform, reported later", [write(3)], [change(1), end(2), end(4)], [2, 2]],
    ["several writes in one", [...meta(1, 1.2), write(1.4)], [change(1.1), end(2), end(4)], [1, 1]],
    ["a write of metadata over and over again", meta(1, 3, 5), ends, [3, 3]],
    ["those of the object that took the most", two, [end(2), end(2, "web"), end(4), end(4, "web")], [2, 2]],
    ["what is under way at the end", meta(1, 3), [end(2)], [2, 2]],
    ["what is not of our kinds", [{ what: "kube PATCH leases/operator", at: 1_000 }], [end(2)], [0, 0]],
  ])("is right for: %s", (_what, calls, logs, [acting, writing]) => {
    expect(maxReconciles(calls, logs)).toEqual({ acting, writing });
  });
});
