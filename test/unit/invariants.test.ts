/** What the oracles of the lives take for a violation: a bed that found nothing could be one that cannot. */
import { describe, expect, it } from "vitest";

import type { CallEntry, Effect } from "../../simulator/request/journal.ts";
import type { Evidence } from "../chaos/effects.ts";
import type { UserAction } from "../chaos/env.ts";
import { doubleActions } from "../chaos/lifecycle/actions.ts";
import { duplicates } from "../chaos/lifecycle/invariants.ts";

type Entry = readonly [operation: string, path: string, effect?: Effect | undefined, status?: number];

/** @returns what is left of a run in which these were the calls, a second apart, and these the questions. */
function evidence(
  entries: readonly Entry[],
  actions: readonly UserAction[] = [],
  surface: "documented" | "full" = "full",
): Evidence {
  const journal = entries.map(([operation, path, effect, status = 200], seq): CallEntry => ({
    is: "call",
    seq,
    at: new Date(seq * 1_000).toISOString(),
    virtualMs: seq * 1_000,
    method: "POST",
    path,
    operation,
    principal: null,
    body: { name: path.split("/").at(-1) ?? "" },
    status,
    effects: effect === undefined ? [] : [effect],
    fault: null,
  }));
  return {
    platform: { journal: () => journal, sim: { settings: { surface } } },
    calls: [],
    userActions: [...actions],
  };
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
const write = (application: string): Entry => [
  "importEnvironmentVariable",
  `/application/id-${application}/environmentVariable/import`,
  { imported: `id-${application}`, names: ["A"] },
];
const kind = "PlatformDatabase";
const repeat = (name: string, repeats: UserAction["repeats"]): UserAction => ({ kind, name, repeats });

describe("the oracle of duplicates", () => {
  it.for<{ what: string; entries: readonly Entry[]; found: number }>([
    { what: "one of each", entries: [create("Project", "a"), create("Project", "b")], found: 0 },
    { what: "one that stands twice", entries: [create("Project", "a"), create("Project", "a")], found: 1 },
    {
      what: "one whose name was taken when it was asked for again",
      entries: [create("Project", "a"), ["createProject", "/a", undefined, 409]],
      found: 1,
    },
    {
      what: "one that was refused for another reason before",
      entries: [["createProject", "/a", undefined, 422], create("Project", "a")],
      found: 0,
    },
  ])("$what", ({ entries, found }) => {
    expect(duplicates(evidence(entries))).toHaveLength(found);
  });
});

const app = [create("Application", "api"), deploy("Application", "api", "c1")];
const base = [create("Database", "d"), deploy("Database", "d"), stop("d")];

describe("the oracle of double actions", () => {
  it.for<{ what: string; entries: readonly Entry[]; actions?: readonly UserAction[]; found: number }>([
    { what: "another commit", entries: [...app, deploy("Application", "api", "c2")], found: 0 },
    { what: "the same commit", entries: [...app, deploy("Application", "api", "c1")], found: 1 },
    { what: "a variable of its own", entries: [...app, write("api"), deploy("Application", "api", "c1")], found: 0 },
    { what: "a variable of another", entries: [...app, write("web"), deploy("Application", "api", "c1")], found: 1 },
    { what: "a variable, for a database", entries: [...base, write("api"), deploy("Database", "d")], found: 1 },
    { what: "a second stop", entries: [...base, stop("d")], found: 1 },
    { what: "a stop that the user requested", entries: [...base, stop("d")], actions: [repeat("d", "stop")], found: 0 },
    { what: "two for one request", entries: [...base, stop("d"), stop("d")], actions: [repeat("d", "stop")], found: 1 },
    { what: "a request of another action", entries: [...base, stop("d")], actions: [repeat("d", "deploy")], found: 1 },
    { what: "a request for another one", entries: [...base, stop("d")], actions: [repeat("e", "stop")], found: 1 },
    { what: "a resolved create", entries: [...base, stop("d")], actions: [repeat("d", undefined)], found: 1 },
  ])("$what", ({ entries, actions, found }) => {
    expect(doubleActions(evidence(entries, actions), 0)).toHaveLength(found);
  });

  it.for<{ what: string; entries: readonly Entry[]; found: number }>([
    { what: "a second stop", entries: [...base, stop("d")], found: 0 },
    { what: "a third stop", entries: [...base, stop("d"), stop("d")], found: 1 },
    { what: "a second deployment of a database", entries: [...base, deploy("Database", "d")], found: 0 },
    { what: "a second deployment of an application", entries: [...app, deploy("Application", "api", "c1")], found: 1 },
  ])("mayRepeatOnce, on the documented surface: $what", ({ entries, found }) => {
    expect(doubleActions(evidence(entries, [], "documented"), 0)).toHaveLength(found);
  });
});
