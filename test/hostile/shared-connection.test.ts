/**
 * Two tenants that share a ClusterPlatformConnection: the resources of one name objects of the other by id.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
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

describe.each(["documented", "full"] as const)("two tenants of a shared connection, %s surface", (surface) => {
  const env = createEnv({ surface, more: ["b"] });
  const b = env.at("b");
  const cluster = (): string => env.platform.clusterIds[0] ?? "";
  const through = (): JsonObject => ({ kind: "ClusterPlatformConnection", name: env.namespace });
  let projectId = "";
  let environmentId = "";
  let applicationId = "";

  const sharing = async (allowedNamespaces: JsonObject): Promise<void> => {
    const spec = { allowedNamespaces, allowUnverifiedIds: true, auth: { tokenSecretRef: { name: "shared" } } };
    const at = { name: "shared", namespace: env.operatorNamespace };
    await env.apply(
      { ...secret("shared", { token: env.platform.tokens.admin }), metadata: at },
      { ...connection(env, env.namespace, spec), kind: "ClusterPlatformConnection" },
    );
  };
  /** The resources of the second tenant: all ways to name an object of the first by its id. */
  const attacks = (): readonly Manifest[] => {
    const connectionRef = through();
    const inTheirs = { environmentRef: { externalId: environmentId }, connectionRef };
    const here = { connectionRef };
    return [
      project("by-id", { externalId: projectId, connectionRef }),
      environment(env, "under", "", { projectRef: { externalId: projectId }, connectionRef }),
      environment(env, "env-by-id", "own", { externalId: environmentId }),
      environment(env, "on-theirs", "own", { clusterRef: { externalId: cluster() } }),
      application("in-theirs", "", inTheirs),
      application("app-by-id", "own", { externalId: applicationId }),
      database("db-in-theirs", "", inTheirs),
      database("db-by-id", "own", { externalId: applicationId, runState: "Stopped" }),
      blueprint("chart", "", inTheirs),
      resource("PlatformVariableSet", "set", {
        targets: [{ applicationRef: { externalId: applicationId } }],
        variables: [{ name: "MODE", value: "evil" }],
        overwrite: true,
        ...here,
      }),
      resource("PlatformCluster", "theirs", {
        externalId: cluster(),
        runState: "Stopped",
        lifecycle: { applyPolicy: "Automatic" },
        ...here,
      }),
      resource("PlatformBinding", "binding", {
        clusterRef: { externalId: cluster() },
        template: { key: "kubernetes-essentials", version: "1.2.0" },
        ...here,
      }),
    ];
  };

  beforeAll(async () => {
    await sharing({ names: [env.namespace, b.namespace] });
    await env.apply(
      project("victim", { connectionRef: through() }),
      environment(env, "victim", "victim"),
      application("victim", "victim"),
      resource("PlatformCluster", "victim", { externalId: cluster(), connectionRef: through() }),
    );
    projectId = idOf(await env.waitFor("PlatformProject", "victim", { status: "True" }));
    environmentId = idOf(await env.waitFor("PlatformEnvironment", "victim", { status: "True" }));
    applicationId = idOf(await env.waitFor("PlatformApplication", "victim", { status: "True" }));
    await env.waitFor("PlatformCluster", "victim", (object) => idOf(object) !== "");
    await b.apply(
      project("own", { connectionRef: through() }),
      environment(env, "own", "own", { clusterRef: { externalId: env.platform.clusterIds[1] ?? "" } }),
    );
    await b.waitFor("PlatformEnvironment", "own", { status: "True" });
  });
  afterAll(async () => {
    await env.remove("ClusterPlatformConnection", env.namespace);
  });

  it("[E10] cannot name each other's objects by id", async ({ task }) => {
    const record = await env.record();
    const hostile = attacks();
    await b.apply(...hostile);
    for (const { kind, metadata } of hostile) {
      const stalled = await b.waitFor(kind, metadata.name, { type: "Stalled", status: "True" });
      const { reason, message } = condition(stalled, "Ready") ?? {};
      expect(["PermissionDenied", "AlreadyManaged"], `${kind} ${metadata.name}: ${message}`).toContain(reason);
      expect(message, `${kind} ${metadata.name}`).toContain(`"${env.namespace}/victim"`);
    }
    expect(record.changes()).toEqual([]);
    figure(task, `0 changes by ${String(hostile.length)} resources`, hostile.length);
  });

  it("[E10] can name an object by id once the other tenant's resource is deleted", async () => {
    await env.remove("PlatformCluster", "victim");
    await env.waitGone("PlatformCluster", "victim");
    const placed = await b.waitFor("PlatformEnvironment", "on-theirs", { status: "True" });
    expect(env.platform.world().environments.has(idOf(placed))).toBe(true);
  });

  it("[E10] use only the projects that the connection allows to their namespace", async () => {
    const limited = [{ names: [b.namespace], allowedProjects: [projectId] }];
    await sharing({ names: [env.namespace], limited });
    const says = "spec.allowedNamespaces gives this namespace other projects only";
    await b.stalled("PlatformProject", "own", "PermissionDenied", says);
    await env.waitFor("PlatformProject", "victim", { status: "True" });
    await sharing({
      names: [env.namespace],
      limited: [{ names: [b.namespace], allowedProjects: [idOf(await b.get("PlatformProject", "own"))] }],
    });
    const mine = await b.waitFor("PlatformProject", "own", { status: "True" });
    expect(condition(mine, "Stalled")).toBeUndefined();
  });
});
