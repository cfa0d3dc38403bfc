/**
 * Runs docs/guides/previews.md unchanged with Argo CD itself: its ApplicationSet controller reads the open pull
 * requests of a code host, its repository server renders the guide's chart with helm, its controller applies and
 * prunes. Then runs the Application and the ApplicationSet of deploy/argocd with the same programs.
 */
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parseAllDocuments } from "yaml";

import { isObject } from "../../src/kube/api/json.ts";
import type { Json, JsonObject } from "../../src/kube/api/types.ts";
import { applyAll, kubectl } from "../control-plane/access.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { manifestsIn } from "../support/env/manifests.ts";
import { ownControlPlane } from "../support/env/own-control-plane.ts";
import { idOf } from "../support/env/settling.ts";
import { fencedIn, previewChart, textOf } from "../support/examples/pages.ts";
import { COMMIT, defaults, NEXT_COMMIT, project } from "../support/kube/manifests.ts";
import { startScriptedServer } from "../support/kube/scripted-server.ts";
import { ARGOCD, startArgoCd } from "./argocd/argocd.ts";
import { createRepository } from "./argocd/git.ts";

type PullRequest = Readonly<Record<"branch" | "commit" | "label", string>>;
type CodeHost = Awaited<ReturnType<typeof startCodeHost>>;

/** Starts a code host on loopback, which has one pull request, with number 42, while it is open. */
async function startCodeHost() {
  const server = await startScriptedServer();
  const host: { pull?: PullRequest | undefined } = {};
  server.script((response) => {
    const isList = response.req.url?.startsWith("/api/v3/repos/acme/web/pulls?") === true;
    response.writeHead(isList ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isList ? [host.pull].flatMap((pull) => (pull === undefined ? [] : shown(pull))) : {}));
  });
  return Object.assign(host, { url: `${server.url}/`, close: () => server.stop() });
}

/** Returns a pull request as in GitHub's API ("List pull requests"), with the members that the generator reads. */
function shown({ branch, commit, label }: PullRequest): object {
  return {
    number: 42,
    title: "Change 42",
    user: { login: "somebody" },
    head: { ref: branch, sha: commit },
    base: { ref: "main" },
    labels: [{ name: label }],
  };
}

const root = join(import.meta.dirname, "../..");
const controlPlane = await ownControlPlane({ controllers: true });

const LAST_COMMIT = "fedcba9876543210fedcba9876543210fedcba98";
const CLUSTER = "00000000-0000-4000-8000-000000000002";

const repository = await createRepository();
// A separate one, since Argo CD reads the newest commit only every three minutes.
const ours = await createRepository();
await startArgoCd(controlPlane, { applicationSets: true });

/** @returns the value with some of its texts replaced */
function replaced(value: Json | undefined, names: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item: Json) => replaced(item, names));
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, names)]));
}

describe.each(["documented", "full"] as const)("a preview for each pull request on the %s surface", (surface) => {
  const env = createEnv({ surface, controlPlane, args: ["--leader-elect=false"] });
  let host: CodeHost;

  beforeAll(async () => {
    host = await startCodeHost();
    const chart = [...previewChart()].map(([path, content]): [string, string] => [
      `${surface}/${path}`,
      content.replace(CLUSTER, env.platform.clusterIds[0] ?? ""),
    ]);
    await repository.add(new Map(chart));
    await env.apply(...defaults(env), project("web", { name: "web-previews" }));
    const guide = fencedIn(textOf("docs/guides/previews.md"), "yaml").flatMap(manifestsIn);
    const set = guide.find(({ kind }) => kind === "ApplicationSet");
    const names = new Map([
      ["previews", set?.metadata.name === "previews" ? env.namespace : ""],
      ["preview-{{.number}}", `${surface}-{{.number}}`],
      ["preview", surface],
      ["https://git.example.com/acme/platform.git", repository.url],
      ["https://kubernetes.default.svc", controlPlane.server],
    ]);
    await applyAll(controlPlane, [withCodeHost(replaced(set, names), host.url)]);
  });

  afterAll(async () => {
    await kubectl(controlPlane, ["delete", "applicationset", env.namespace, "-n", ARGOCD, "--cascade=orphan"]);
    await host.close();
  });

  const openPullRequest = (commit: string): void => {
    // The label has the name of the surface, since the same text is also the folder in the guide.
    host.pull = { branch: "feature/cart", commit, label: surface };
  };
  const deployedIds = async (commit: string): Promise<readonly string[]> => {
    const application = await env.waitFor(
      "PlatformApplication",
      "pr-42",
      (object) =>
        JSON.stringify(object.status).includes(`"gitCommitId":"${commit}"`) &&
        condition(object, "Ready")?.reason === "Deployed",
    );
    return [idOf(await env.waitFor("PlatformEnvironment", "pr-42", { status: "True" })), idOf(application)];
  };

  it("is created, follows a push, is deleted, and is created again when the pull request is reopened", async () => {
    openPullRequest(COMMIT);
    const first = await deployedIds(COMMIT);
    openPullRequest(NEXT_COMMIT);
    expect(await deployedIds(NEXT_COMMIT)).toEqual(first);
    host.pull = undefined;
    for (const kind of ["PlatformApplication", "PlatformEnvironment"]) await env.waitGone(kind, "pr-42");
    const { environments } = env.platform.world();
    expect([...environments.keys()]).toEqual(surface === "full" ? [] : [first[0]]);
    openPullRequest(LAST_COMMIT);
    const again = await deployedIds(LAST_COMMIT);
    // The documented surface deletes nothing, so the objects are found again.
    expect(again.filter((id) => first.includes(id))).toEqual(surface === "documented" ? first : []);
    expect([...environments.keys()]).toEqual([again[0]]);
  });
});

/** Applies a file of deploy/argocd with some of its texts replaced, or its manifests of some kinds. */
async function applyShipped(
  file: string,
  names: readonly (readonly [string, string])[],
  kinds?: readonly string[],
): Promise<void> {
  const known = [["https://kubernetes.default.svc", controlPlane.server], ["v0.1.0", "main"], ...names] as const;
  const text = await readFile(join(root, "deploy/argocd", file), "utf8");
  const items = parseAllDocuments(text)
    .filter((document) => kinds?.includes(String(document.get("kind"))) !== false)
    .map((document) => replaced(document.toJSON() as Json, new Map(known)));
  await applyAll(controlPlane, items);
}

/** Waits until an Application has this status. */
async function untilStatus(name: string, status: object): Promise<void> {
  const read = async (): Promise<unknown> =>
    JSON.parse(await kubectl(controlPlane, ["get", "application", name, "-n", ARGOCD, "-o", "json"]));
  await vi.waitFor(async () => expect(await read()).toMatchObject({ status }), { timeout: 120_000, interval: 500 });
}

describe("deploy/argocd", () => {
  const env = createEnv({ surface: "documented", controlPlane, args: ["--leader-elect=false"] });

  it("applies the operator's chart with server-side apply, and never prunes the CRDs", async () => {
    const chart = await readdir(join(root, "helm-chart"), { recursive: true, withFileTypes: true });
    const files = chart
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }): Promise<[string, string]> => {
        const path = join(parentPath, name);
        return [relative(root, path), await readFile(path, "utf8")];
      });
    const cluster = { apiVersion: "platform-operator.io/v1alpha1", kind: "ClusterPlatformConnection" };
    const bad = { ...cluster, metadata: { name: "mine" }, spec: { baseUrl: "https://api.example.com" } };
    const theirs = { ...project("theirs"), metadata: { name: "theirs", namespace: env.namespace } };
    await ours.add(
      new Map([
        ...(await Promise.all(files)),
        [`tenants/${env.namespace}/project.yaml`, JSON.stringify(project("shop"))],
        ["tenants/greedy/connection.yaml", JSON.stringify(bad)],
        ["tenants/greedy/project.yaml", JSON.stringify(theirs)],
      ]),
    );
    await applyShipped("operator.yaml", [["https://github.com/platform-operator/platform-operator.git", ours.url]]);
    const succeeded = { phase: "Succeeded" };
    await untilStatus("platform-operator", { sync: { status: "Synced" }, operationState: succeeded });
    const crds = async (): Promise<readonly string[]> =>
      (await kubectl(controlPlane, ["get", "crds", "-o", "name"])).match(/^.*\.platform-operator\.io$/gm) ?? [];
    const before = await crds();
    expect(before).toHaveLength(12);
    const podDisruptionBudget = { enabled: false };
    const valuesObject = { crds: { install: false }, podDisruptionBudget, serviceAccount: { name: "new" } };
    const patch = JSON.stringify({ spec: { source: { helm: { valuesObject } } } });
    const app = ["application", "platform-operator", "-n", ARGOCD];
    await kubectl(controlPlane, ["patch", ...app, "--type=merge", "-p", patch]);
    // Reads the accounts and not the result of the sync: a self-heal right after the sync replaces its result.
    const accounts = () => kubectl(controlPlane, ["get", "serviceaccounts", "-n", "platform-operator", "-o", "name"]);
    const left = "serviceaccount/default\nserviceaccount/new";
    await vi.waitFor(async () => expect((await accounts()).trim()).toBe(left), { timeout: 120_000, interval: 500 });
    await untilStatus("platform-operator", { sync: { status: "Synced" }, operationState: succeeded });
    expect(await crds()).toEqual(before);
    await kubectl(controlPlane, ["delete", ...app]);
  });

  it("gives each team its namespace, and permits no team cluster-wide resources or those of another team", async () => {
    const { namespace } = env;
    await env.apply(...defaults(env));
    const namesOf = (team: string) =>
      [
        ["https://git.example.com/acme/tenants.git", ours.url],
        ["tenant-shop", `tenant-${team}`],
        ["shop", team],
      ] as const;
    await applyShipped("tenants.yaml", namesOf("greedy"), ["Namespace", "AppProject"]);
    await applyShipped("tenants.yaml", namesOf(namespace));
    await untilStatus(`tenant-${namespace}`, { sync: { status: "Synced" }, health: { status: "Healthy" } });
    expect(condition(await env.get("PlatformProject", "shop"), "Ready")?.status).toBe("True");
    const denied = expect.objectContaining({ message: expect.stringContaining("is not permitted in project") });
    await untilStatus("tenant-greedy", { operationState: { syncResult: { resources: [denied, denied] } } });
    expect(await env.find("PlatformProject", "theirs")).toBeUndefined();
    await kubectl(controlPlane, ["delete", "applicationset", "tenants", "-n", ARGOCD]);
    expect((await env.get("PlatformProject", "shop")).metadata.deletionTimestamp).toBeUndefined();
  });
});

/** @returns the ApplicationSet with the test's code host and a short poll interval */
function withCodeHost(set: Json, url: string): JsonObject {
  const text = JSON.stringify(set);
  const github = text.replace('"owner":"acme"', `"owner":"acme","api":${JSON.stringify(url)}`);
  const parsed: unknown = JSON.parse(github.replace('"requeueAfterSeconds":300', '"requeueAfterSeconds":2'));
  if (!isObject(parsed) || github === text) throw new Error("the guide has no ApplicationSet for GitHub");
  return parsed;
}
