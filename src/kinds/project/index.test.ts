import { describe, expect, it } from "vitest";

import { type FlatContext, grouped, USUAL_CONTEXT } from "../../../test/support/kinds/policies.ts";
import { capabilitiesOn, supportsOn, type OnSurface } from "../../../test/support/kinds/supports.ts";
import type { Goal } from "../../engine/contract/kind.ts";
import type { Project } from "../../platform/areas/projects.ts";
import type { Platform } from "../../platform/index.ts";
import { NOT_READ, type SideRead } from "../shared/answers.ts";
import { project, type ProjectContext } from "./index.ts";

const MINE = "00000000-0000-4000-8000-0000000000b1";
const OTHER = "00000000-0000-4000-8000-0000000000b2";
const NOW = new Date("2026-11-21T10:00:00Z");

type Observed = Awaited<ReturnType<typeof project.observe>>;

const remote = (change: Partial<Project> = {}): Project => ({ id: MINE, name: "shop", record: {}, ...change });

function contextOf(
  change: OnSurface & Partial<Omit<FlatContext<ProjectContext>, "spec">> & { readonly spec?: object } = {},
): ProjectContext {
  const { spec, ...rest } = change;
  return grouped({
    name: "shop",
    spec: project.resource.spec.parse({ name: "shop", ...spec }),
    inputs: {},
    now: NOW,
    id: MINE,
    identitySource: "recorded",
    memory: {},
    supports: supportsOn(rest.surface ?? "Full"),
    ...USUAL_CONTEXT,
    ...rest,
  });
}

const shown = <T>(value: T): SideRead<T> => ({ value, fault: undefined });

const observedOf = (projects: readonly Project[], change: Partial<Observed> = {}): Observed => ({
  records: projects,
  presence: projects.some(({ id }) => id === MINE) ? "Present" : "Gone",
  environments: NOT_READ,
  serverNow: NOW,
  updated: false,
  deleting: false,
  ...change,
});

/** The result of the plan. */
function planned(context: ProjectContext, observed: Observed): string {
  const plan = project.plan(context, observed);
  if (plan.is === "step") return plan.step.op;
  return plan.is === "adopt" ? `adopt ${plan.id}` : plan.is === "settled" ? "settled" : `${plan.is} ${plan.why.reason}`;
}

describe("the policies of a project", () => {
  const renamed = remote({ name: "Shop 2" });
  const blockedOperations = new Set(["updateProject"]);
  it.each<[string, Parameters<typeof contextOf>[0], readonly Project[], string]>([
    ["its settings differ", {}, [renamed], "updateProject"],
    ["its settings differ and may not be written", { blockedOperations }, [renamed], "settled"],
    [
      "its settings differ and nothing is corrected",
      { surface: "Documented", corrects: "Nothing" },
      [renamed],
      "settled",
    ],
    ["it is gone", {}, [], "stalled ExternalResourceDeleted"],
    ["it is gone and wanted back", { onMissing: "Recreate" }, [], "forget ExternalResourceDeleted"],
    ["a given id leads nowhere", { onMissing: "Recreate", identitySource: "given" }, [], "stalled InvalidSpec"],
  ])("%s", (_, change, projects, expected) => {
    expect(planned(contextOf(change), observedOf(projects))).toBe(expected);
  });
  it("say what an update would change", () => {
    expect(project.plan(contextOf(), observedOf([renamed]))).toMatchObject({
      step: { corrects: true, changes: [{ path: "spec.name", desired: "shop", observed: "Shop 2" }] },
    });
  });
});

describe("the plan of a project", () => {
  const fresh = { id: undefined, identitySource: undefined } as const;
  const described = remote({ description: "theirs" });

  it.each<[string, Parameters<typeof contextOf>[0], readonly Project[], string]>([
    ["it does not exist", fresh, [remote({ id: OTHER, name: "other" })], "createProject"],
    [
      "it does not exist, and none can be created",
      { ...fresh, supports: () => "Unsupported" },
      [],
      "stalled NotSupportedByApi",
    ],
    ["one of its name exists", fresh, [remote({ name: "Shop" })], `adopt ${MINE}`],
    [
      "one of its name exists and may not be taken",
      { ...fresh, adoption: "Never" },
      [remote()],
      "stalled NameConflict",
    ],
    ["two of its name exist", fresh, [remote(), remote({ id: OTHER })], "stalled DuplicateRemote"],
    [
      "one of its name is not the connection's",
      { ...fresh, allowedProjects: [OTHER] },
      [remote()],
      "stalled PermissionDenied",
    ],
    ["the connection allows no new ones", { ...fresh, allowedProjects: [OTHER] }, [], "stalled PermissionDenied"],
    ["it is as described", {}, [remote()], "settled"],
    ["others described it, the spec does not", {}, [described], "settled"],
    ["it is described otherwise", { spec: { description: "ours" } }, [described], "updateProject"],
    ["no description and an empty one", { spec: { description: "" } }, [remote()], "settled"],
    ["it is named otherwise, in case only", {}, [remote({ name: "Shop" })], "updateProject"],
    [
      "it is described otherwise, on the documented surface",
      { surface: "Documented", spec: { description: "ours" } },
      [described],
      "stalled UpdateNotSupported",
    ],
    ["it is gone", {}, [], "stalled ExternalResourceDeleted"],
    ["what was left is not listed", { identitySource: "orphaned" }, [], "stalled ExternalResourceDeleted"],
    [
      "what was left has another name",
      { identitySource: "orphaned" },
      [remote({ name: "of others" })],
      "stalled NameConflict",
    ],
    ["its given id leads nowhere", { identitySource: "given" }, [], "stalled InvalidSpec"],
    ["its given id is right", { identitySource: "given" }, [remote({ name: "of others" })], `adopt ${MINE}`],
    ["its claimed id is right", { identitySource: "claimed" }, [remote()], `adopt ${MINE}`],
    [
      "its claimed id is another's",
      { identitySource: "claimed" },
      [remote({ name: "of others" })],
      "stalled NameConflict",
    ],
    ["its id is held", { holderOf: () => "a/b" }, [remote()], "stalled AlreadyManaged"],
    ["its id is no longer the connection's", { allowedProjects: [OTHER] }, [remote()], "stalled PermissionDenied"],
  ])("when %s", (_name, change, projects, expected) => {
    expect(planned(contextOf(change), observedOf(projects))).toBe(expected);
  });

  it.each<[string, Goal, Parameters<typeof contextOf>[0], Partial<Observed> & { readonly gone?: boolean }, string]>([
    ["deletes it", "absent", {}, {}, "deleteProject"],
    ["waits for the deletion", "absent", {}, { deleting: true }, "waiting Deleting"],
    ["is over when it is gone", "absent", {}, { gone: true }, "settled"],
    ["has nothing to stop", "stopped", {}, {}, "settled"],
    ["cannot delete on the documented surface", "absent", { surface: "Documented" }, {}, "stalled DeleteNotSupported"],
    ["spares one of another name", "absent", { spec: { name: "other" } }, {}, "stalled NameConflict"],
    [
      "spares what is only claimed and not the connection's",
      "absent",
      { identitySource: "claimed", allowedProjects: [OTHER] },
      {},
      "stalled NotObservable",
    ],
  ])("%s", (_name, goal, change, { gone, ...observed }, expected) => {
    expect(planned(contextOf({ ...change, goal }), observedOf(gone === true ? [] : [remote()], observed))).toBe(
      expected,
    );
  });

  it("sends what differs once in a reconcile", () => {
    const context = contextOf({ spec: { description: "ours" } });
    expect(planned(context, observedOf([described], { updated: true }))).toBe("settled");
    expect(project.report(context, observedOf([described])).drift).toEqual([
      { path: "spec.description", desired: "ours", observed: "theirs" },
    ]);
  });

  it("marks a create with the platform's clock", () => {
    expect(project.plan(contextOf(fresh), observedOf([]))).toMatchObject({
      step: { repeat: "once", creates: true, name: "shop", mark: { absentAt: "2026-11-21T10:00:00.000Z" } },
    });
    expect(project.plan(contextOf(fresh), observedOf([], { serverNow: undefined }))).toMatchObject({
      step: { mark: { absentAt: null } },
    });
  });
});

it.each<[Goal, number]>([
  ["present", 5_000],
  ["absent", 0],
  ["stopped", 0],
])("for the goal %s a project is compared with a list that is at most %i ms old", async (goal, maxAge) => {
  const ages: (number | undefined)[] = [];
  const projects = {
    list: (options?: { readonly maxAgeMs?: number }) => {
      ages.push(options?.maxAgeMs);
      return Promise.resolve([remote()]);
    },
    environmentStats: () => Promise.resolve([]),
  };
  const api = { capabilities: capabilitiesOn("Full"), projects, serverNow: () => NOW } as unknown as Platform;
  await project.observe(contextOf({ goal }), api);
  expect(ages).toEqual([maxAge]);
});

describe("the report of a project", () => {
  it("shows its record and its environments, in a fixed order", () => {
    const dates = { createdAt: "2026-11-21T09:00:00.123456Z", updatedAt: "2026-11-21T09:30:00Z" };
    const environments = [{ id: OTHER, serviceTotalNumber: 2 }, { id: MINE }];
    const { status, ready } = project.report(
      contextOf(),
      observedOf([remote(dates)], { environments: shown(environments) }),
    );
    expect(ready).toEqual({ reason: "Available", message: 'Project "shop" exists on the platform.' });
    expect(status).toEqual({
      ...dates,
      environmentCount: 2,
      environments: [
        { id: MINE, serviceCount: 0 },
        { id: OTHER, serviceCount: 2 },
      ],
    });
    expect(
      project.report(contextOf(), observedOf([remote(dates)], { environments: shown(environments.toReversed()) }))
        .status,
    ).toEqual(status);
  });

  it("lists the same 200 of more environments, whatever their order", () => {
    const environments = Array.from({ length: 250 }, (_, index) => ({
      id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    }));
    const of = (list: typeof environments) =>
      project.report(contextOf(), observedOf([remote()], { environments: shown(list) })).status;
    expect(of(environments)).toEqual(of(environments.toReversed()));
    expect(of(environments)).toMatchObject({ environmentCount: 250 });
  });

  it("says Unknown of environments that cannot be counted, and is ready", () => {
    const fault = { reason: "PermissionDenied", message: "The platform answered 403." } as const;
    const { conditions, status, ready } = project.report(
      contextOf(),
      observedOf([remote()], { environments: { value: undefined, fault } }),
    );
    expect(ready.reason).toBe("Available");
    expect(conditions).toEqual([{ type: "EnvironmentsListed", status: "Unknown", ...fault }]);
    expect(status).not.toHaveProperty("environmentCount");
  });

  it("shows nothing of a project that does not belong to it, or not yet", () => {
    for (const identitySource of ["given", "claimed"] as const) {
      expect(project.report(contextOf({ identitySource }), observedOf([remote()]))).toMatchObject({
        status: {},
        drift: [],
        conditions: [],
      });
    }
    expect(project.report(contextOf(), observedOf([])).status).toEqual({});
  });
});
