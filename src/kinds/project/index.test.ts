import { describe, expect, it, vi } from "vitest";

import { buildContext, type SpecChange } from "../../../test/support/kinds/contexts.ts";
import { planTable, said } from "../../../test/support/kinds/plans.ts";
import { platformWith } from "../../../test/support/kinds/platform.ts";
import type { EnvironmentCount, Project } from "../../platform/areas/projects.ts";
import { NOT_READ, type SideRead } from "../shared/answers.ts";
import { project, type ProjectContext } from "./index.ts";

const MINE = "00000000-0000-4000-8000-0000000000b1";
const OTHER = "00000000-0000-4000-8000-0000000000b2";
const NOW = new Date("2026-11-21T10:00:00Z");

type Observed = Awaited<ReturnType<typeof project.observe>>;

const remote = (change: Partial<Project> = {}): Project => ({ id: MINE, name: "shop", record: {}, ...change });

type Change = SpecChange<ProjectContext>;

function contextOf({ spec, ...change }: Change = {}): ProjectContext {
  const parsed = project.resource.spec.parse({ name: "shop", ...spec });
  return buildContext<ProjectContext>({ name: "shop", spec: parsed, inputs: {}, id: MINE, surface: "Full" }, change);
}

const shown = <T>(value: T): SideRead<T> => ({ value, fault: undefined });

const observedOf = (records: readonly Project[], change: Partial<Observed> = {}): Observed => {
  const presence = records.some(({ id }) => id === MINE) ? "Present" : "Gone";
  const usual = { environments: NOT_READ, serverNow: NOW, updated: false, deleting: false };
  return { records, presence, ...usual, ...change };
};

const planned = (change: Change, observed: Observed) => said(project.plan(contextOf(change), observed));
const plannedFor = (change: Change, projects: readonly Project[]) => planned(change, observedOf(projects));

/** Also of every other kind that has a name and settings. Of all kinds: test/model/kinds-contract.test.ts. */
describe("the plan of a project", () => {
  const fresh = { id: undefined, identitySource: undefined } as const;
  const given = { identitySource: "given" } as const;
  const claimed = { identitySource: "claimed" } as const;
  const left = { identitySource: "orphaned" } as const;
  const recreated = { onMissing: "Recreate" } as const;
  const limited = { allowedProjects: [OTHER] };
  const documented = { surface: "Documented" } as const;
  const described = remote({ description: "theirs" });
  const ofOthers = remote({ name: "of others" });
  const renamed = remote({ name: "Shop" });
  const blocked = { blockedOperations: new Set(["updateProject"]) };
  const ours = { spec: { description: "ours" } };
  const [GONE, CONFLICT] = ["stalled ExternalResourceDeleted", "stalled NameConflict"];

  planTable(plannedFor)([
    ["it does not exist and none may be taken", { ...fresh, adoption: "Never" }, [], "createProject"],
    ["others exist", fresh, [ofOthers], "createProject"],
    ["one of its name exists", fresh, [renamed], "adopt"],
    ["one of its name is not the connection's", { ...fresh, ...limited }, [remote()], "stalled PermissionDenied"],
    ["the connection allows no new ones", { ...fresh, ...limited }, [], "stalled PermissionDenied"],
    ["it is as described", {}, [remote()], "settled"],
    ["others described it, the spec does not", {}, [described], "settled"],
    ["it is described otherwise", ours, [described], "updateProject corrects"],
    ["it is described otherwise and may not be written", { ...ours, ...blocked }, [described], "settled"],
    ["no description and an empty one", { spec: { description: "" } }, [remote()], "settled"],
    ["it is named otherwise, in case only", {}, [renamed], "updateProject corrects"],
    ["it is described otherwise where that cannot be changed", { ...documented, ...ours }, [described], "settled"],
    ["nothing is corrected", { ...documented, corrects: "Nothing" }, [renamed], "settled"],
    ["it is gone", {}, [], GONE],
    ["what was left is not listed", { ...left, ...recreated }, [], GONE],
    ["what was left has another name", left, [ofOthers], CONFLICT],
    ["what was left is there", left, [remote()], "adopt"],
    ["its given id leads nowhere", { ...recreated, ...given }, [], "stalled InvalidSpec"],
    ["its given id is right", given, [ofOthers], "adopt"],
    ["its claimed id is right", claimed, [remote()], "adopt"],
    ["its claimed id is another's", claimed, [ofOthers], CONFLICT],
    ["its id is held", { holderOf: () => "a/b" }, [remote()], "stalled AlreadyManaged"],
    ["its id is no longer the connection's", limited, [remote()], "stalled PermissionDenied"],
  ]);

  it.each<[string, string, Change, readonly Project[]]>([
    ["NameConflict", MINE, { adoption: "Never" }, [remote()]],
    ["DuplicateRemote", "2 of project", {}, [remote(), remote({ id: OTHER })]],
    ["AlreadyManaged", '"a/b"', { holderOf: () => "a/b" }, [remote()]],
  ])("says why what has its name is not adopted: %s, %s", (reason, words, change, projects) => {
    const message: unknown = expect.stringContaining(words);
    const refused = project.plan(contextOf({ ...fresh, ...change }), observedOf(projects));
    expect(refused).toMatchObject({ is: "stalled", why: { reason, message } });
  });

  const absent = { goal: "absent" } as const;

  planTable(planned)([
    ["waits for the deletion", absent, observedOf([remote()], { deleting: true }), "waiting Deleting"],
    ["is over when it is gone", absent, observedOf([]), "settled"],
    ["is over when it never was", { ...absent, ...fresh }, observedOf([remote()]), "settled"],
    ["has nothing to stop", { goal: "stopped" }, observedOf([remote()]), "settled"],
    ["spares one of another name", absent, observedOf([ofOthers]), CONFLICT],
    ["spares what is not ours", { ...absent, ...claimed, ...limited }, observedOf([remote()]), "stalled NotObservable"],
  ]);

  it("says what an update would change", () => {
    expect(project.plan(contextOf(), observedOf([renamed]))).toMatchObject({
      step: { corrects: true, changes: [{ path: "spec.name", desired: "shop", observed: "Shop" }] },
    });
  });

  it.each<[string, Change, Project, readonly string[]]>([
    ["the platform can change it", ours, described, []],
    ["the platform cannot change it", { ...ours, ...documented }, described, ["False UpdateNotSupported"]],
    ["nothing differs", { ...ours, ...documented }, remote({ description: "ours" }), []],
    ["nothing is corrected", { ...ours, ...documented, corrects: "Nothing" }, described, ["False UpdateNotSupported"]],
    ["it is not recorded yet", { ...ours, ...documented, ...given }, described, []],
  ])("reports a description that differs where %s", (_name, change, record, expected) => {
    const { conditions } = project.report(contextOf(change), observedOf([record]));
    expect(conditions.map(({ status, reason }) => `${status} ${reason}`)).toEqual(expected);
  });

  it("is Ready under the name that the platform has", () => {
    const { ready } = project.report(contextOf(documented), observedOf([ofOthers]));
    expect(ready).toEqual({ reason: "Available", message: 'Project "of others" exists on the platform.' });
  });

  it("sends what differs once in a reconcile", () => {
    expect(planned(ours, observedOf([described], { updated: true }))).toBe("settled");
    expect(project.report(contextOf(ours), observedOf([described])).drift).toEqual([
      { path: "spec.description", desired: "ours", observed: "theirs" },
    ]);
  });

  describe("that the platform stores differently", () => {
    const context = contextOf(ours);
    const { fingerprint } = context.records;
    const altered = fingerprint([["spec.description", "ours", "theirs"]]);
    const memory = { altered };

    it.each<[string, Change, string, string]>([
      ["the last update left it like this", ours, "theirs", "settled"],
      ["others changed it since", ours, "of others", "updateProject corrects"],
      ["the spec changed since", { spec: { description: "new" } }, "theirs", "updateProject corrects"],
      ["the user requests it", { ...ours, requested: "now" }, "theirs", "updateProject corrects"],
    ])("when %s", (_name, change, description, expected) => {
      expect(plannedFor({ ...change, memory }, [remote({ description })])).toBe(expected);
    });

    const trimmed = fingerprint([["spec.description", "ours", "ours "]]);

    it.each<[string, Project | undefined, string, object | undefined]>([
      ["by the answer", remote({ description: "ours " }), "unread", trimmed],
      ["nothing, by the answer", remote({ description: "ours" }), "unread", undefined],
      ["by a read, without an answer", undefined, "ours ", trimmed],
      ["nothing, by a read", undefined, "ours", undefined],
    ])("remembers %s", async (_name, answer, description, expected) => {
      const list = () => Promise.resolve([remote({ description })]);
      const projects = { update: () => Promise.resolve(answer), list, environmentStats: () => Promise.resolve([]) };
      const api = platformWith({ projects, refresh: () => {} });
      const step = { repeat: "safe", op: "updateProject", action: "update" } as const;
      const known = await project.act(step, context, observedOf([described]), api);
      expect(known.memory.altered).toEqual(expected);
      expect(project.report({ ...context, memory: known.memory }, known.observed).status["altered"]).toEqual(expected);
    });

    it("forgets it once nothing differs", () => {
      const { status } = project.report({ ...context, memory }, observedOf([remote({ description: "ours" })]));
      expect(status["altered"]).toBeUndefined();
    });
  });

  it("marks a create with the platform's clock", () => {
    const step = { repeat: "once", creates: true, name: "shop", mark: { absentAt: "2026-11-21T10:00:00.000Z" } };
    expect(project.plan(contextOf(fresh), observedOf([]))).toMatchObject({ step });
  });
});

it.each<[string, Change, number]>([
  ["a settled object", {}, 5_000],
  ["a deletion", { goal: "absent" }, 0],
  ["a stop", { goal: "stopped" }, 0],
  ["a request of the user", { requested: "token-1" }, 0],
  ["an id that is not recorded yet", { identitySource: "claimed" }, 0],
  ["an id that the user gave", { identitySource: "given" }, 0],
])("for %s a project is compared with a list that is at most so old", async (_what, change, maxAge) => {
  const list = vi.fn(() => Promise.resolve([remote()]));
  const api = platformWith({ projects: { list, environmentStats: () => Promise.resolve([]) } });
  await project.observe(contextOf(change), api);
  expect(list.mock.calls).toEqual([[expect.objectContaining({ maxAgeMs: maxAge })]]);
});

describe("the report of a project", () => {
  it("shows its record and the same 200 environments, in a fixed order", () => {
    const dates = { createdAt: "2026-11-21T09:00:00.123456Z", updatedAt: "2026-11-21T09:30:00Z" };
    const environments: readonly EnvironmentCount[] = [{ id: OTHER, serviceTotalNumber: 2 }, { id: MINE }];
    const of = (list: readonly EnvironmentCount[]) =>
      project.report(contextOf(), observedOf([remote(dates), remote({ id: OTHER })], { environments: shown(list) }));
    const { status, ready } = of(environments);
    expect(ready).toEqual({ reason: "Available", message: 'Project "shop" exists on the platform.' });
    const mine = { id: MINE, serviceCount: 0 };
    expect(status).toEqual({ ...dates, environmentCount: 2, environments: [mine, { id: OTHER, serviceCount: 2 }] });
    expect(of(environments.toReversed()).status).toEqual(status);
    const ids = Array.from({ length: 250 }, (_, index) => `00000000-0000-4000-8000-${`${index}`.padStart(12, "0")}`);
    const many = ids.map((id) => ({ id }));
    expect(of(many).status).toMatchObject({ environmentCount: 250, environments: { length: 200 } });
    expect(of(many.toReversed()).status).toEqual(of(many).status);
  });

  it("names the environments that a resource of its namespace stands for", () => {
    const nameOf = (kind: string, id: string) => (id === MINE ? `${kind}/staging` : undefined);
    const value = [{ id: MINE }, { id: OTHER }];
    const { status } = project.report(contextOf({ nameOf }), observedOf([remote()], { environments: shown(value) }));
    const others = { name: undefined, id: OTHER, serviceCount: 0 };
    const mine = { name: "PlatformEnvironment/staging", id: MINE, serviceCount: 0 };
    expect(status["environments"]).toEqual([mine, others]);
  });

  it("says Unknown of environments that cannot be counted, and is ready", () => {
    const fault = { reason: "PermissionDenied", message: "The platform answered 403." } as const;
    const observed = observedOf([remote()], { environments: { value: undefined, fault } });
    const { conditions, status, ready } = project.report(contextOf(), observed);
    expect(ready.reason).toBe("Available");
    expect(conditions).toEqual([{ type: "EnvironmentsListed", status: "Unknown", ...fault }]);
    expect(status).not.toHaveProperty("environmentCount");
  });

  it("shows nothing of a project that does not belong to it, or not yet", () => {
    for (const identitySource of ["given", "claimed"] as const) {
      const reported = project.report(contextOf({ identitySource }), observedOf([remote()]));
      expect(reported).toMatchObject({ status: {}, drift: [], conditions: [] });
    }
    expect(project.report(contextOf(), observedOf([])).status).toEqual({});
  });
});
