import type { Json, JsonObject } from "../../../src/kube/api/types.ts";
import type { Manifest } from "../env/cluster.ts";
import {
  application,
  blueprint,
  database,
  defaults,
  environment,
  project,
  resource,
  secret,
} from "../kube/manifests.ts";
import type { OperatorEnv } from "../platform/operator-env.ts";

/**
 * Returns an object of each kind that manages an object of the platform or writes into one, some with values from a
 * Secret. The project is "shop", its environment "staging", the application "api".
 * @param lifecycle for the kinds that can be deleted on the platform
 */
export function everyKind(env: OperatorEnv, lifecycle: JsonObject = {}): readonly Manifest[] {
  const clusterRef = { externalId: env.platform.clusterIds[0] ?? "" };
  return [
    secret("values", { password: "not-a-password" }),
    ...defaults(env, { allowUnverifiedIds: true }),
    project("shop", { description: "The shop", lifecycle }),
    environment(env, "staging", "shop", { lifecycle }),
    application("api", "staging", { memory: 512, variables: variables("API"), lifecycle }),
    database("main", "staging", { lifecycle }),
    blueprint("cache", "staging", { lifecycle }),
    resource("PlatformCluster", "own", clusterRef),
    resource("PlatformVariableSet", "shared", {
      targets: [{ applicationRef: { name: "api" } }],
      variables: variables("SHARED"),
      lifecycle,
    }),
    resource("PlatformBinding", "addons", {
      clusterRef,
      template: { key: "kubernetes-essentials", version: "1.2.0" },
      managedConfig: { ingress: { domain: { value: "shop.example.com" } } },
    }),
    resource("PlatformWebhook", "hook", {
      targetUrl: "https://hooks.example.com/x",
      events: ["DEPLOYMENT_STARTED"],
      lifecycle,
    }),
  ];
}

function variables(prefix: string): readonly Json[] {
  return [
    { name: `${prefix}_LEVEL`, value: "info" },
    { name: `${prefix}_PASSWORD`, valueFrom: { secretKeyRef: { name: "values", key: "password" } } },
  ];
}
