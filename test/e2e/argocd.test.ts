/** Argo CD's own controller and repository server over a git repository with our resources. */
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { isObject, member, stringMember } from "../../src/kube/api/json.ts";
import type { Json, JsonObject } from "../../src/kube/api/types.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import { createApplication, type Application, type Look } from "../support/argocd/application.ts";
import { startArgoCd, type RunningArgoCd } from "../support/argocd/argocd.ts";
import { createRepository, type Repository } from "../support/argocd/git.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { examplesApart } from "../support/examples/examples.ts";
import { deploying, NEXT_COMMIT, tree } from "../support/kube/manifests.ts";

const root = join(import.meta.dirname, "../..");
const controlPlane = await startControlPlane({ controllers: true, crdsDir: join(root, "crds") });
// Before the stage's own hooks, so that it ends after them: the last one that was set runs first.
afterAll(() => controlPlane.stop());
// One operator alone: a machine that is busy with Argo CD's start must not cost it a lease, and so its end.
const env = createEnv({ surface: "full", controlPlane, args: ["--leader-elect=false"] });
/** Begins as the simulated platform takes for a commit that does not build. */
const BAD_COMMIT = "bad0c0de5eed5eed5eed5eed5eed5eed5eed5eed";
const DELETED = { lifecycle: { deletionPolicy: "Delete" } };

let argocd: RunningArgoCd | undefined;
let repository: Repository;

beforeAll(async () => {
  repository = await createRepository();
  argocd = await startArgoCd(controlPlane);
});

afterAll(async () => {
  await argocd?.stop();
  await repository.remove();
});

/** An Application over a folder of the repository, into the stage's namespace. */
async function over(path: string, ...syncOptions: readonly string[]): Promise<Application> {
  return createApplication(controlPlane, {
    name: path,
    path,
    repoURL: repository.url,
    namespace: env.namespace,
    syncOptions,
  });
}

const healthOf = ({ resources }: Look, kind: string, name: string) =>
  resources.find((resource) => resource.kind === kind && resource.name === name)?.health;

const membersOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** The manifest, or the one with these members of its spec where it is the application of that name. */
const withSpec = (manifest: Manifest, name: string, { spec }: ReturnType<typeof deploying>): Manifest =>
  manifest.kind === "PlatformApplication" && manifest.metadata.name === name
    ? { ...manifest, spec: { ...membersOf(manifest["spec"]), ...membersOf(spec) } }
    : manifest;

const annotatedWith = (manifest: Manifest, annotations: Readonly<Record<string, string>>): Manifest => ({
  ...manifest,
  metadata: { ...manifest.metadata, annotations: { ...annotations } },
});

describe("the quickstart in git", () => {
  let application: Application;
  // The application api is under Delete, and so has a finalizer; all others are under Retain.
  const quickstart = (): readonly Manifest[] =>
    env.quickstart().map((manifest) => withSpec(manifest, "api", { spec: DELETED }));
  const deployedAt = (commit: string): readonly Manifest[] =>
    quickstart().map((manifest) => withSpec(manifest, "api", deploying(commit)));

  it("comes to Synced and Healthy with one sync, while status, annotations and finalizers are written", async () => {
    const revision = await repository.commit("quickstart", quickstart());
    application = await over("quickstart");
    const seen = new Set<string>();
    const look = await application.until((now) => {
      // From the first comparison after the sync on, nothing may look different from git.
      if (now.sync?.status === "Synced" || seen.size > 0) seen.add(now.sync?.status ?? "");
      return now.sync?.revision === revision && now.health.status === "Healthy" && now.sync.status === "Synced";
    });
    await env.settled();
    expect((await application.look()).sync?.status).toBe("Synced");
    expect(seen).toEqual(new Set(["Synced"]));
    expect(look.history).toHaveLength(1);
    expect(look.resources.filter(({ status }) => status !== "Synced")).toEqual([]);
    expect(healthOf(look, "PlatformApplication", "api")).toMatchObject({ status: "Healthy" });
    const api = await env.get("PlatformApplication", "api");
    expect(condition(api, "Ready")).toMatchObject({ status: "True", reason: "Deployed" });
    expect(Object.keys(api.metadata.annotations ?? {})).toContain("platform-operator.io/external-id");
    expect(api.metadata.finalizers).toEqual(["platform-operator.io/finalizer"]);
    expect((await env.get("PlatformApplication", "web")).metadata.finalizers ?? []).toEqual([]);
  });

  it("a commit change in git is exactly one deploy", async () => {
    const record = await env.record();
    const revision = await repository.commit("quickstart", deployedAt(NEXT_COMMIT));
    await application.refresh();
    await application.healthy(revision);
    await env.settled();
    expect(record.changes()).toEqual(["deployApplication"]);
  });

  it("a failed deployment is Degraded, with the operator's message", async () => {
    await repository.commit("quickstart", deployedAt(BAD_COMMIT));
    await application.refresh();
    const look = await application.until(({ health }) => health.status === "Degraded");
    expect(healthOf(look, "PlatformApplication", "api")).toMatchObject({
      status: "Degraded",
      message: expect.stringMatching(/^BuildFailed: The platform reports BUILD_ERROR for commit bad0c0d\. /),
    });
    expect(healthOf(look, "PlatformApplication", "web")).toMatchObject({ status: "Healthy" });
    const revision = await repository.commit("quickstart", deployedAt(NEXT_COMMIT));
    await application.refresh();
    await application.healthy(revision);
  });

  it("what a hand changes is changed back", async () => {
    const { history } = await application.look();
    await env.patch("PlatformApplication", "api", { spec: { memory: 1024 } });
    await env.waitFor("PlatformApplication", "api", ({ spec }) => member(spec, "memory") === 512, 120_000);
    await env.waitFor("PlatformApplication", "api", { status: "True" }, 60_000);
    const look = await application.until(
      ({ sync, health }) => sync?.status === "Synced" && health.status === "Healthy",
    );
    expect(look.sync?.revision).toBe(history.at(-1)?.revision);
  });

  it("what is pruned stays on the platform under Retain", async () => {
    const record = await env.record();
    const services = env.platform.world().services.size;
    const rest = deployedAt(NEXT_COMMIT).filter(({ metadata }) => metadata.name !== "web");
    const revision = await repository.commit("quickstart", rest);
    await application.refresh();
    await application.healthy(revision);
    await env.waitGone("PlatformApplication", "web", 60_000);
    expect(env.platform.world().services.size).toBe(services);
    expect(record.changes()).toEqual([]);
  });
});

describe("a tree that is deleted with its resources", () => {
  const ORDER = ["deleteApplication", "deleteEnvironment", "deleteProject"];

  it("waves: each waits for the health of the one before, a PlatformOperation after the sync is carried out once", async () => {
    const waves = tree(env, "waves", DELETED).map((manifest, index) =>
      annotatedWith(manifest, { "argocd.argoproj.io/sync-wave": String(index) }),
    );
    const hook: Manifest = {
      apiVersion: "platform-operator.io/v1alpha1",
      kind: "PlatformOperation",
      metadata: {
        name: "after-sync",
        annotations: {
          "argocd.argoproj.io/hook": "PostSync",
          "argocd.argoproj.io/hook-delete-policy": "BeforeHookCreation",
        },
      },
      spec: { type: "SendInvoices" },
    };
    const record = await env.record();
    const revision = await repository.commit("waves", [...waves, hook]);
    const application = await over("waves");
    const look = await application.healthy(revision);
    const made = await Promise.all([
      env.get("PlatformProject", "waves"),
      env.get("PlatformEnvironment", "waves"),
      env.get("PlatformApplication", "waves"),
      env.get("PlatformOperation", "after-sync"),
    ]);
    // Each was created no earlier than the one before it became Ready.
    for (const [index, { metadata }] of made.entries()) {
      const before = made[index - 1];
      if (before === undefined) continue;
      const ready = condition(before, "Ready");
      expect(ready?.status, before.kind).toBe("True");
      const created = Date.parse(stringMember(metadata, "creationTimestamp") ?? "");
      expect(created, metadata.name).toBeGreaterThanOrEqual(Date.parse(ready?.lastTransitionTime ?? ""));
    }
    expect(look.operationState?.syncResult?.resources).toContainEqual(
      expect.objectContaining({ kind: "PlatformOperation", hookType: "PostSync", hookPhase: "Succeeded" }),
    );
    expect(record.changes().at(-1)).toBe("downloadInvoices");
    expect(record.calls("downloadInvoices")).toHaveLength(1);
  });

  it("is pruned from the platform, children before parents", async () => {
    const record = await env.record();
    await repository.commit("waves", []);
    const application = await over("waves");
    await application.refresh();
    await env.waitGone("PlatformProject", "waves", 120_000);
    expect(record.changes()).toEqual(ORDER);
  });

  it("is pruned so without waves too", async () => {
    const revision = await repository.commit("flat", tree(env, "flat", DELETED));
    const application = await over("flat");
    await application.healthy(revision);
    const record = await env.record();
    await repository.commit("flat", []);
    await application.refresh();
    await env.waitGone("PlatformProject", "flat", 120_000);
    expect(record.changes()).toEqual(ORDER);
  });
});

describe("every example", () => {
  it("is Synced after one sync, as often as Argo CD compares, with no difference ignored", async () => {
    const settings = await env.kubectl(["get", "configmap", "argocd-cm", "-n", "argocd", "-o", "yaml"]);
    expect(settings).not.toContain("ignoreDifferences");
    // Nobody reconciles in these namespaces: what differs would be the API server's doing, or the CRDs'.
    const revision = await repository.commit("examples", examplesApart("argocd-example"));
    const application = await over("examples");
    const isSynced = ({ sync, operationState }: Look): boolean =>
      sync?.status === "Synced" && sync.revision === revision && operationState?.phase === "Succeeded";
    const look = await application.until(isSynced);
    expect(look.resources.filter(({ status }) => status !== "Synced")).toEqual([]);
    expect(look.resources.length).toBeGreaterThan(30);
    for (const _again of [1, 2]) {
      await application.refresh("hard");
      await application.until((now) => isSynced(now) && !now.isRefreshing);
    }
    expect((await application.look()).history).toHaveLength(1);
  });
});
