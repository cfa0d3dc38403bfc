/** Two tenants of one organization. Each has a connection in its own namespace that is limited to its project. */
import { beforeAll, describe, expect, it } from "vitest";

import { EXTERNAL_ID } from "../../src/api/names.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { type Cluster, condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { existing } from "../support/env/existing.ts";
import { idOf } from "../support/env/settling.ts";
import {
  application,
  blueprint,
  connection,
  database,
  environment,
  project,
  resource,
  secret,
} from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";

type Victim = Awaited<ReturnType<typeof existing>>;

/** The reasons that a tenant's resources report about objects that are not its own. */
const REASONS = new Set(["PermissionDenied", "InvalidSpec", "NotObservable", "NameConflict", "AlreadyManaged"]);

describe.each(["documented", "full"] as const)("two tenants with a connection each, %s surface", (surface) => {
  const env = createEnv({ surface, more: ["b"] });
  let victim: Victim;
  let foreign: Victim;
  let own: Victim;

  const connect = async (at: Cluster, name: string, spec: JsonObject): Promise<void> => {
    const full = { surface: surface === "full" ? "Full" : "Documented", ...spec };
    await at.ready(secret(name, { token: env.platform.tokens.admin }), connection(env, name, full));
  };
  /** The resources of the hostile tenant: all ways to name an object of another tenant. */
  const attacks = (): readonly Manifest[] => {
    const into = { environmentRef: { externalId: victim.environmentId } };
    const annotated = (manifest: Manifest, id: string): Manifest => ({
      ...manifest,
      metadata: { ...manifest.metadata, annotations: { [EXTERNAL_ID]: id } },
    });
    const { clusterIds, otherOrganizationId } = env.platform;
    const clusters = [...env.platform.world().clusters.values()];
    const cluster = clusters.find(({ organizationId }) => organizationId === otherOrganizationId)?.id ?? "";
    const stopped = { runState: "Stopped", lifecycle: { applyPolicy: "Automatic" } };
    const app = { externalId: victim.applicationId };
    return [
      project("by-id", { externalId: victim.projectId }),
      project("by-name", { name: "victim" }),
      annotated(project("by-note", { name: "victim" }), victim.projectId),
      environment(env, "under", "", { projectRef: { externalId: victim.projectId } }),
      environment(env, "env-by-id", "own", { externalId: victim.environmentId }),
      annotated(
        environment(env, "env-by-note", "", { projectRef: { externalId: victim.projectId }, name: "victim" }),
        victim.environmentId,
      ),
      application("in-theirs", "", into),
      application("app-by-id", "own", app),
      annotated(application("app-by-note", "", { ...into, name: "victim" }), victim.applicationId),
      project("foreign", { externalId: foreign.projectId }),
      environment(env, "foreign", "own", { externalId: foreign.environmentId }),
      application("foreign", "", { environmentRef: { externalId: foreign.environmentId } }),
      database("db-in-theirs", "", into),
      database("db-by-id", "own", app),
      blueprint("chart", "", into),
      resource("PlatformCluster", "theirs", { externalId: cluster, ...stopped }),
      resource("PlatformCluster", "shared", { externalId: clusterIds[0] ?? "", ...stopped }),
      resource("PlatformBinding", "binding", {
        clusterRef: { externalId: cluster },
        template: { key: "kubernetes-essentials", version: "1.2.0" },
      }),
      resource("PlatformVariableSet", "set", {
        targets: [{ applicationRef: app }],
        variables: [{ name: "MODE", value: "evil" }],
        overwrite: true,
      }),
      project("new"),
      resource("PlatformWebhook", "all", { targetUrl: "https://hooks.example.com/", events: ["DEPLOYMENT_STARTED"] }),
    ];
  };

  beforeAll(async () => {
    victim = await existing(env, "victim");
    own = await existing(env, "own");
    foreign = await existing(env, "foreign", "foreign");
    await connect(env.at("b"), "default", { allowedProjects: [own.projectId] });
    const b = env.at("b");
    await b.ready(
      project("own", { externalId: own.projectId }),
      environment(env, "own", "own", { externalId: own.environmentId }),
      environment(env, "inside", "own"),
    );
  });

  it("[E10] change no object of each other by id, name or annotation, and each attempt is reported", async ({
    task,
  }) => {
    const b = env.at("b");
    const record = await env.record();
    const hostile = attacks();
    const said: string[] = [];
    await b.apply(...hostile);
    for (const { kind, metadata } of hostile) {
      const stalled = await b.waitFor(kind, metadata.name, { type: "Stalled", status: "True" });
      const ready = condition(stalled, "Ready");
      expect(REASONS, `${kind} ${metadata.name}: ${ready?.message}`).toContain(ready?.reason);
      expect(idOf(stalled), `${kind} ${metadata.name}`).toBe("");
      said.push(`${ready?.reason} ${ready?.message}`);
    }
    const limit = /^(?!PermissionDenied)|allowedProjects|limited to some projects/;
    expect(said.filter((text) => !limit.test(text))).toEqual([]);
    expect(record.changes()).toEqual([]);
    figure(task, `0 changes by ${String(hostile.length)} resources`, hostile.length);
  });

  it("[E10] can adopt their own objects although the other tenant claimed them before", async () => {
    const record = await env.record();
    await connect(env, "default", { allowedProjects: [victim.projectId], allowUnverifiedIds: true });
    const mine = await env.ready(
      project("victim", { externalId: victim.projectId }),
      environment(env, "victim", "victim", { externalId: victim.environmentId }),
      application("victim", "victim", { externalId: victim.applicationId }),
    );
    expect(idOf(mine)).toBe(victim.applicationId);
    // No read of the surface Documented shows the commit of an adopted application.
    expect(record.changes()).toEqual(surface === "full" ? [] : ["deployApplication"]);
  });

  it("[E10] keep their recorded objects when a connection of the other tenant reaches them as well", async () => {
    const b = env.at("b");
    const record = await env.record();
    await connect(b, "wide", { allowUnverifiedIds: true });
    await b.apply(
      project("late", { externalId: victim.projectId, connectionRef: { name: "wide" } }),
      project("late-own", { externalId: own.projectId, connectionRef: { name: "wide" } }),
    );
    await b.stalled("PlatformProject", "late", "AlreadyManaged", `"${env.namespace}/victim"`);
    await b.stalled("PlatformProject", "late-own", "AlreadyManaged");
    expect(record.changes()).toEqual([]);
  });

  it("[E10] delete no object of each other when a resource is deleted", async () => {
    const b = env.at("b");
    const record = await env.record();
    const hostile = attacks();
    for (const { kind, metadata } of hostile) {
      if ((await b.find(kind, metadata.name)) === undefined) continue;
      if (kind !== "PlatformBinding") {
        const deletionPolicy = kind === "PlatformCluster" ? "Stop" : "Delete";
        await b.patch(kind, metadata.name, { spec: { lifecycle: { deletionPolicy } } }).catch(() => undefined);
      }
      await b.remove(kind, metadata.name);
    }
    for (const { kind, metadata } of hostile) await b.waitGone(kind, metadata.name);
    expect(record.changes()).toEqual([]);
    expect(env.platform.world().services.has(victim.applicationId)).toBe(true);
  });
});
