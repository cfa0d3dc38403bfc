import { beforeAll, describe, expect, it } from "vitest";

import type { Reason } from "../../src/api/reasons.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { existing } from "../support/env/existing.ts";
import { idOf } from "../support/env/settling.ts";
import { application, defaults, environment, project, secret, connection } from "../support/kube/manifests.ts";

describe.each(effort.few(["full", "documented"] as const))("adoption on the %s surface", (surface) => {
  const env = createEnv({ surface });

  beforeAll(async () => {
    await env.apply(
      ...defaults(env, { allowUnverifiedIds: false }),
      secret("trusting", { token: env.platform.tokens.admin }),
      connection(env, "trusting"),
    );
  });

  it("by spec.externalId takes over a project, its environment and its application, and deploys nothing", async () => {
    const name = "given";
    const { projectId, environmentId, applicationId } = await existing(env, name);
    const record = await env.record();
    await env.apply(
      project(name, { externalId: projectId, connectionRef: { name: "trusting" } }),
      environment(env, name, name, { externalId: environmentId }),
      application(name, name, { externalId: applicationId }),
    );
    const adopted = await env.waitFor("PlatformApplication", name, { status: "True", reason: "Deployed" });
    expect(idOf(adopted)).toBe(applicationId);
    expect(idOf(await env.get("PlatformEnvironment", name))).toBe(environmentId);
    expect(idOf(await env.get("PlatformProject", name))).toBe(projectId);
    expect(record.changes()).toEqual([]);
  });

  it("by its unique name takes over what the surface lists, whatever the case", async () => {
    const name = "unique";
    const { projectId, environmentId, applicationId } = await existing(env, name);
    const record = await env.record();
    await env.apply(project(name, { name: "UNIQUE" }));
    const adopted = await env.waitFor("PlatformProject", name, (object) => idOf(object) !== "");
    expect(idOf(adopted)).toBe(projectId);
    await env.patch("PlatformProject", name, { spec: { name } });
    await env.apply(environment(env, name, name));
    await env.waitFor("PlatformProject", name, { status: "True" });
    const listed = surface === "full";
    const found = await env.waitFor("PlatformEnvironment", name, { reason: listed ? "Available" : "NameConflict" });
    expect(idOf(found)).toBe(listed ? environmentId : "");
    await env.apply(application(name, name));
    const last = await env.waitFor("PlatformApplication", name, { reason: listed ? "Deployed" : "ParentNotReady" });
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
    if (exists) await existing(env, name);
    const record = await env.record();
    await env.apply(project(name, { lifecycle: { adoptionPolicy } }));
    const refused = await env.waitFor("PlatformProject", name, { reason });
    expect(idOf(refused)).toBe("");
    expect(record.changes()).toEqual([]);
  });

  it("of an application by an id that the surface gives no proof for is refused, unless the connection trusts ids", async () => {
    const name = "unproven";
    const { projectId, environmentId, applicationId } = await existing(env, name);
    const record = await env.record();
    await env.apply(
      project(name, { externalId: projectId }),
      environment(env, name, name, { externalId: environmentId }),
      application(name, name, { externalId: applicationId }),
    );
    const reason: Reason = surface === "full" ? "Deployed" : "NotObservable";
    const found = await env.waitFor("PlatformApplication", name, { reason });
    expect(idOf(found)).toBe(surface === "full" ? applicationId : "");
    expect(record.changes()).toEqual([]);
  });
});

describe.each(effort.few(["full", "documented"] as const))(
  "[E10] ids of another organization on the %s surface",
  (surface) => {
    const env = createEnv({ surface });

    it("are refused before anything is written: as a parent, and as the object itself", async () => {
      await env.apply(...defaults(env), project("own"), environment(env, "own", "own"));
      await env.waitFor("PlatformEnvironment", "own", { status: "True" });
      const foreign = await existing(env, "theirs", "foreign");
      const record = await env.record();
      const parent = { projectRef: { externalId: foreign.projectId } };
      const place = { environmentRef: { externalId: foreign.environmentId } };
      await env.apply(
        project("theirs", { externalId: foreign.projectId }),
        environment(env, "under-theirs", "own", parent),
        environment(env, "theirs", "own", { externalId: foreign.environmentId }),
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
        const object = await env.waitFor(kind, name, { reason: "InvalidSpec" });
        expect(condition(object, "Stalled")).toMatchObject({ status: "True" });
        expect(idOf(object)).toBe("");
      }
      const service = await env.waitFor(
        "PlatformApplication",
        "theirs",
        (object) =>
          condition(object, "Stalled") !== undefined || condition(object, "Ready")?.reason === "PermissionDenied",
      );
      expect(idOf(service)).toBe("");
      expect(record.changes()).toEqual([]);
    });
  },
);
