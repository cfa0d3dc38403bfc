/** Argo CD's own controller and repository server with a git repository of custom resources. */
import { describe, expect, it } from "vitest";

import { REDEPLOY_REQUESTED_AT } from "../../src/api/names.ts";
import { isObject, stringMember } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { ownControlPlane } from "../support/env/own-control-plane.ts";
import { examples } from "../support/examples/examples.ts";
import { NEXT_COMMIT, tree } from "../support/kube/manifests.ts";
import { createApplication, type Application, type ApplicationStatus } from "./argocd/application.ts";
import { startArgoCd } from "./argocd/argocd.ts";
import { createRepository } from "./argocd/git.ts";

const controlPlane = await ownControlPlane({ controllers: true });
// Without a lease, since the operator would lose it and exit while Argo CD's start keeps the machine busy.
const env = createEnv({ surface: "full", controlPlane, args: ["--leader-elect=false"] });
const DELETED = { lifecycle: { deletionPolicy: "Delete" } };

// Both end before the environment does.
const repository = await createRepository();
await startArgoCd(controlPlane);

/** Creates an Application from a folder of the repository to the env's namespace. */
const applicationOf = (folder: string): Promise<Application> =>
  createApplication(controlPlane, repository.url, folder, env.namespace);

const healthOf = ({ resources }: ApplicationStatus, kind: string, name: string) =>
  resources.find((resource) => resource.kind === kind && resource.name === name)?.health;

const annotatedWith = (manifest: Manifest, annotations: JsonObject): Manifest => ({
  ...manifest,
  metadata: { ...manifest.metadata, annotations },
});

describe("the quickstart in git", () => {
  let application: Application;
  /** The application api has deletionPolicy Delete and so a finalizer, and this in its spec; all others have Retain. */
  const quickstart = (own: JsonObject = {}): readonly Manifest[] =>
    env.quickstart().map((manifest) => {
      const { kind, metadata, spec } = manifest;
      if (kind !== "PlatformApplication" || metadata.name !== "api" || !isObject(spec)) return manifest;
      return { ...manifest, spec: { ...spec, ...DELETED, ...own } };
    });
  /** Commits manifests to git, and waits until they are synced and Healthy. */
  const push = async (manifests: readonly Manifest[]): Promise<ApplicationStatus> => {
    const revision = await repository.commit("quickstart", manifests);
    await application.refresh();
    return application.healthy(revision);
  };
  const deployedAt = (gitCommitId: string): readonly Manifest[] => quickstart({ deploy: { gitCommitId } });

  it("becomes Synced and Healthy with one sync, while status, annotations and finalizers are written", async () => {
    const revision = await repository.commit("quickstart", quickstart());
    application = await applicationOf("quickstart");
    const seen = new Set<string>();
    const status = await application.until((now) => {
      // From the first comparison after the sync on, nothing may differ from git.
      if (now.sync?.status === "Synced" || seen.size > 0) seen.add(now.sync?.status ?? "");
      return now.sync?.revision === revision && now.health.status === "Healthy" && now.sync.status === "Synced";
    });
    await env.settled();
    expect((await application.status()).sync?.status).toBe("Synced");
    expect(seen).toEqual(new Set(["Synced"]));
    expect(status.history).toHaveLength(1);
    expect(status.resources.filter((resource) => resource.status !== "Synced")).toEqual([]);
    expect(healthOf(status, "PlatformApplication", "api")).toMatchObject({ status: "Healthy" });
    const api = await env.get("PlatformApplication", "api");
    expect(condition(api, "Ready")).toMatchObject({ status: "True", reason: "Deployed" });
    expect(Object.keys(api.metadata.annotations ?? {})).toContain("platform-operator.io/external-id");
    expect(api.metadata.finalizers).toEqual(["platform-operator.io/finalizer"]);
    expect((await env.get("PlatformApplication", "web")).metadata.finalizers ?? []).toEqual([]);
  });

  it("deploys exactly once when the commit changes in git", async () => {
    const record = await env.record();
    await push(deployedAt(NEXT_COMMIT));
    await env.settled();
    expect(record.changes()).toEqual(["deployApplication"]);
  });

  it("deploys the same commit once more by the annotation of the action Redeploy, and stays Synced", async () => {
    const record = await env.record();
    await env.annotate("PlatformApplication", "api", { [REDEPLOY_REQUESTED_AT]: "2026-11-21T10:00:00Z" });
    await env.settled();
    await application.refresh();
    expect((await application.status()).sync?.status).toBe("Synced");
    expect(record.changes()).toEqual(["deployApplication"]);
  });
});

describe("a tree that is deleted with its resources", () => {
  it("waits in each wave for the health of the one before", async () => {
    const waves = tree(env, "waves", DELETED).map((manifest, index) =>
      annotatedWith(manifest, { "argocd.argoproj.io/sync-wave": String(index) }),
    );
    const revision = await repository.commit("waves", waves);
    const application = await applicationOf("waves");
    await application.healthy(revision);
    const objects = await Promise.all(waves.map(({ kind, metadata }) => env.get(kind, metadata.name)));
    // Each was created after the one before it became Ready.
    for (const [index, { metadata }] of objects.slice(1).entries()) {
      const ready = objects[index] && condition(objects[index], "Ready");
      expect(ready?.status, metadata.name).toBe("True");
      const created = Date.parse(stringMember(metadata, "creationTimestamp") ?? "");
      expect(created, metadata.name).toBeGreaterThanOrEqual(Date.parse(ready?.lastTransitionTime ?? ""));
    }
  });

  it("is pruned from the platform without waves, children before parents", async () => {
    const revision = await repository.commit("flat", tree(env, "flat", DELETED));
    const application = await applicationOf("flat");
    await application.healthy(revision);
    const record = await env.record();
    await repository.commit("flat", []);
    await application.refresh();
    await env.waitGone("PlatformProject", "flat", 120_000);
    expect(record.changes()).toEqual(["deleteApplication", "deleteEnvironment", "deleteProject"]);
  });
});

describe("every example", () => {
  /** Those of each file in a separate namespace, as they use the same names. */
  const apart = examples().flatMap(({ manifests }, index): readonly Manifest[] => {
    const namespace = `argocd-example-${index}`;
    const placed = manifests.map((manifest) =>
      // A cluster-scoped one has no namespace.
      manifest.metadata["namespace"] === undefined
        ? manifest
        : { ...manifest, metadata: { ...manifest.metadata, namespace } },
    );
    return [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, ...placed];
  });

  it("stays Synced after one sync whenever Argo CD compares, without ignored differences", async () => {
    const settings = await env.kubectl(["get", "configmap", "argocd-cm", "-n", "argocd", "-o", "yaml"]);
    expect(settings).not.toContain("ignoreDifferences");
    // No operator reconciles in these namespaces: differences would come from the API server or the CRDs.
    const revision = await repository.commit("examples", apart);
    const application = await applicationOf("examples");
    const isSynced = ({ sync, operationState }: ApplicationStatus): boolean =>
      sync?.status === "Synced" && sync.revision === revision && operationState?.phase === "Succeeded";
    const { resources } = await application.until(isSynced);
    expect(resources.filter(({ status }) => status !== "Synced")).toEqual([]);
    expect(resources.length).toBeGreaterThan(30);
    for (const _again of [1, 2]) {
      await application.refresh("hard");
      await application.until((now) => isSynced(now) && !now.isRefreshing);
    }
    expect((await application.status()).history).toHaveLength(1);
  });
});
