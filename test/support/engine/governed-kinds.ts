import type { JsonObject } from "../../../src/kube/api/types.ts";
import type { Manifest } from "../env/cluster.ts";
import type { Env } from "../env/env.ts";
import { application, blueprint, database, environment, operation, project, resource } from "../kube/manifests.ts";

/** A resource that makes the operator write to the platform, and what it writes. */
export interface Governed {
  readonly kind: string;
  readonly name: string;
  readonly writes: readonly string[];
  readonly manifest: Manifest;
}

/**
 * One of each kind that writes, all called `name`; PlatformCatalog and connections never do. They stand on a project,
 * environment and application of the name "ground", on the first cluster (the binding) and on the second (to be
 * stopped).
 */
export function governedKinds(env: Env, name: string, lifecycle: JsonObject): readonly Governed[] {
  const spec = { lifecycle };
  const [bound = "", stopped = ""] = env.platform.clusterIds;
  const of = (kind: string, members: JsonObject): Manifest => resource(kind, name, { ...members, ...spec });
  const rows: readonly (readonly [Manifest, ...string[]])[] = [
    [project(name, spec), "createProject"],
    [environment(env, name, "ground", spec), "createEnvironment"],
    [application(name, "ground", spec), "createApplication", "deployApplication"],
    [database(`${name}-db`, "ground", spec), "createDatabase", "deployDatabase"],
    [blueprint(`${name}-bp`, "ground", spec), "createBlueprint"],
    [
      of("PlatformVariableSet", {
        targets: [{ applicationRef: { name: "ground" } }],
        variables: [{ name: name.toUpperCase(), value: "1" }],
      }),
      "importEnvironmentVariable",
      // The application that the variables are for is deployed with them.
      "deployApplication",
    ],
    [of("PlatformCluster", { externalId: stopped, runState: "Stopped" }), "stopCluster"],
    [
      of("PlatformBinding", {
        clusterRef: { externalId: bound },
        template: { key: "kubernetes-essentials", version: "1.2.0" },
        managedConfig: { ingress: { domain: { value: `${name}.example.com` } } },
      }),
      "updateClusterPlatformBinding",
    ],
    [
      of("PlatformWebhook", { targetUrl: `https://hooks.example.com/${name}`, events: ["DEPLOYMENT_FAILED"] }),
      "createWebhook",
    ],
    [operation(name, { type: "SendInvoices", ...spec }), "downloadInvoices"],
  ];
  return rows.map(([manifest, ...writes]) => ({
    kind: manifest.kind,
    name: manifest.metadata.name,
    writes,
    manifest,
  }));
}
