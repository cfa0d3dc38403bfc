/** The lifecycle that every run executes, in phases. */
import type { Surface } from "../../../simulator/base/operations.ts";
import { isSettled, nonEmptyText } from "../../../src/engine/contract/status.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import type { Manifest } from "../../support/env/cluster.ts";
import {
  application,
  COMMIT,
  database,
  defaults,
  environment,
  NEXT_COMMIT,
  project,
  resource,
  secret,
} from "../../support/kube/manifests.ts";
import type { ChaosEnv } from "./env.ts";

export interface Phase {
  readonly name: string;
  /** Acts as the user. */
  act(env: ChaosEnv): void;
  isComplete(env: ChaosEnv): boolean;
  /** Whether the run then checks that the operator writes nothing more. */
  readonly checksIdle?: true;
}

const DELETED = { lifecycle: { deletionPolicy: "Delete" } };

export function lifecycleOn(surface: Surface): readonly Phase[] {
  return [
    {
      name: "create and deploy",
      act: (env) => {
        for (const manifest of manifests(env)) env.cluster.apply(manifest);
      },
      isComplete: (env) => env.cluster.all().every(isReady) && isDeployed(env, COMMIT),
    },
    {
      name: "change",
      act: ({ cluster }) => {
        cluster.patch("PlatformApplication", "api", {
          spec: {
            ...(surface === "full" ? { memory: 768 } : {}),
            variables: variables("debug"),
            deploy: { gitCommitId: NEXT_COMMIT },
          },
        });
        if (surface === "full") cluster.patch("PlatformProject", "shop", { spec: { description: "The other shop" } });
      },
      isComplete: (env) => env.cluster.all().every(isReady) && isDeployed(env, NEXT_COMMIT),
    },
    {
      name: "stop",
      act: ({ cluster }) => {
        if (surface === "full") cluster.patch("PlatformApplication", "api", { spec: { runState: "Stopped" } });
        cluster.patch("PlatformDatabase", "main", { spec: { runState: "Stopped" } });
      },
      isComplete: (env) => env.cluster.all().every(isReady),
      checksIdle: true,
    },
    {
      name: "delete",
      act: ({ cluster }) => {
        for (const { kind, metadata } of cluster.all())
          if (kind !== "PlatformConnection") cluster.remove(kind, metadata.name);
      },
      isComplete: ({ cluster }) => cluster.all().every(({ kind }) => kind === "PlatformConnection"),
    },
    {
      name: "disconnect",
      act: ({ cluster }) => {
        cluster.remove("PlatformConnection", "default");
      },
      isComplete: ({ cluster }) => cluster.all().length === 0,
    },
  ];
}

function manifests(env: ChaosEnv): readonly Manifest[] {
  const clusterRef = { externalId: env.platform.clusterIds[0] ?? "" };
  const dns = { valueFrom: { secretKeyRef: { name: "values", key: "dns" } } };
  return [
    secret("values", { password: "not-a-password", dns: "not-a-token" }),
    // The documented surface cannot verify an id that a user gives.
    ...defaults(env, { allowUnverifiedIds: true }),
    project("shop", { description: "The shop", ...DELETED }),
    environment(env, "staging", "shop", DELETED),
    application("api", "staging", { memory: 512, variables: variables("info"), ...DELETED }),
    database("main", "staging", DELETED),
    resource("PlatformBinding", "essentials", {
      clusterRef,
      cluster: { mode: "PLATFORM_MANAGED", provider: "AWS" },
      template: { key: "kubernetes-essentials", version: "1.2.0" },
      layerSelections: { observability: true },
      managedConfig: {
        ingress: { domain: { value: "shop.example.com" }, dnsApiToken: dns },
        nodePool: { instanceType: { value: "m6i.large" } },
        metrics: { retentionDays: { value: 30 } },
      },
    }),
  ];
}

function variables(level: string): readonly JsonObject[] {
  return [
    { name: "LOG_LEVEL", value: level },
    { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "values", key: "password" } } },
  ];
}

function isReady(object: KubeObject): boolean {
  return member(object.status, "observedGeneration") === object.metadata.generation && isSettled(object);
}

function isDeployed({ cluster }: ChaosEnv, commit: string): boolean {
  const status = cluster.find("PlatformApplication", "api")?.status;
  return nonEmptyText(member(member(status, "lastDeployment"), "gitCommitId")) === commit;
}
