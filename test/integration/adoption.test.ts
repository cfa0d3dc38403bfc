import { beforeAll, describe, expect, it } from "vitest";

import type { Reason } from "../../src/api/reasons.ts";
import { condition } from "../support/env/cluster.ts";
import { createStage } from "../support/env/env.ts";
import { existing } from "../support/env/existing.ts";
import { idOf } from "../support/env/settling.ts";
import { application, defaults, environment, project, secret, connection } from "../support/kube/manifests.ts";

describe.each(["documented", "full"] as const)("adoption on the %s surface", (surface) => {
  const stage = createStage({ surface });

  beforeAll(async () => {
    await stage.apply(
      ...defaults(stage, { allowUnverifiedIds: false }),
      secret("trusting", { token: stage.platform.tokens.admin }),
      connection(stage, "trusting"),
    );
  });

  it("by spec.externalId takes over a project, its environment and its application, and deploys nothing", async () => {
    const name = "given";
    const { projectId, environmentId, applicationId } = await existing(stage, name);
    const record = await stage.record();
    await stage.apply(
      project(name, { externalId: projectId, connectionRef: { name: "trusting" } }),
      environment(stage, name, name, { externalId: environmentId }),
      application(name, name, { externalId: applicationId }),
    );
    const adopted = await stage.waitFor("PlatformApplication", name, { status: "True", reason: "Deployed" });
    expect(idOf(adopted)).toBe(applicationId);
    expect(idOf(await stage.get("PlatformEnvironment", name))).toBe(environmentId);
    expect(idOf(await stage.get("PlatformProject", name))).toBe(projectId);
    expect(record.changes()).toEqual([]);
  });

  it("by its unique name takes over what the surface lists, whatever the case", async () => {
    const name = "unique";
    const { projectId, environmentId, applicationId } = await existing(stage, name);
    const record = await stage.record();
    await stage.apply(project(name, { name: "UNIQUE" }));
    const adopted = await stage.waitFor("PlatformProject", name, (object) => idOf(object) !== "");
    expect(idOf(adopted)).toBe(projectId);
    await stage.patch("PlatformProject", name, { spec: { name } });
    await stage.apply(environment(stage, name, name));
    await stage.waitFor("PlatformProject", name, { status: "True" });
    const listed = surface === "full";
    const found = await stage.waitFor("PlatformEnvironment", name, { reason: listed ? "Available" : "NameConflict" });
    expect(idOf(found)).toBe(listed ? environmentId : "");
    await stage.apply(application(name, name));
    const last = await stage.waitFor("PlatformApplication", name, { reason: listed ? "Deployed" : "ParentNotReady" });
    expect(idOf(last)).toBe(listed ? applicationId : "");
    // Whether a project can be renamed is found out by trying.
    const tried = new Set(["createEnvironment", "updateProject", `PUT /project/${projectId}`]);
    expect(record.changes().filter((operation) => !tried.has(operation))).toEqual([]);
  });

  it.each([
    ["Never", true, "NameConflict"],
    ["Required", false, "DependencyNotReady"],
  ] as const)("policy %s never does what it says", async (adoptionPolicy, exists, reason) => {
    const name = `policy-${adoptionPolicy.toLowerCase()}`;
    if (exists) await existing(stage, name);
    const record = await stage.record();
    await stage.apply(project(name, { lifecycle: { adoptionPolicy } }));
    const refused = await stage.waitFor("PlatformProject", name, { reason });
    expect(idOf(refused)).toBe("");
    expect(record.changes()).toEqual([]);
  });

  it("of an application by an id that the surface gives no proof for is refused, unless the connection trusts ids", async () => {
    const name = "unproven";
    const { projectId, environmentId, applicationId } = await existing(stage, name);
    const record = await stage.record();
    await stage.apply(
      project(name, { externalId: projectId }),
      environment(stage, name, name, { externalId: environmentId }),
      application(name, name, { externalId: applicationId }),
    );
    const reason: Reason = surface === "full" ? "Deployed" : "NotObservable";
    const found = await stage.waitFor("PlatformApplication", name, { reason });
    expect(idOf(found)).toBe(surface === "full" ? applicationId : "");
    expect(record.changes()).toEqual([]);
  });
});

describe.each(["documented", "full"] as const)("[E10] ids of another organization on the %s surface", (surface) => {
  const stage = createStage({ surface });

  it("are refused before anything is written: as a parent, and as the object itself", async () => {
    await stage.apply(...defaults(stage), project("own"), environment(stage, "own", "own"));
    await stage.waitFor("PlatformEnvironment", "own", { status: "True" });
    const foreign = await existing(stage, "theirs", "foreign");
    const record = await stage.record();
    const parent = { projectRef: { externalId: foreign.projectId } };
    const place = { environmentRef: { externalId: foreign.environmentId } };
    await stage.apply(
      project("theirs", { externalId: foreign.projectId }),
      environment(stage, "under-theirs", "own", parent),
      environment(stage, "theirs", "own", { externalId: foreign.environmentId }),
      application("in-theirs", "own", place),
      application("theirs", "own", { externalId: foreign.applicationId }),
    );
    const refused: readonly (readonly [string, string])[] = [
      ["PlatformProject", "theirs"],
      ["PlatformEnvironment", "under-theirs"],
      ["PlatformEnvironment", "theirs"],
      ["PlatformApplication", "in-theirs"],
    ];
    for (const [kind, name] of refused) {
      const object = await stage.waitFor(kind, name, { reason: "InvalidSpec" });
      expect(condition(object, "Stalled")).toMatchObject({ status: "True" });
      expect(idOf(object)).toBe("");
    }
    const service = await stage.waitFor(
      "PlatformApplication",
      "theirs",
      (object) =>
        condition(object, "Stalled") !== undefined || condition(object, "Ready")?.reason === "PermissionDenied",
    );
    expect(idOf(service)).toBe("");
    expect(record.changes()).toEqual([]);
  });
});
