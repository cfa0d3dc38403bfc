/**
 * docs/guides/previews.md as it stands, played by Argo CD itself: its ApplicationSet controller asks a code host for
 * open pull requests, its repository server renders the guide's chart with helm, its controller applies and prunes.
 * Then the Application and the ApplicationSet of deploy/argocd, by the same programs.
 */
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

import { isObject } from "../../src/kube/api/json.ts";
import type { Json, JsonObject } from "../../src/kube/api/types.ts";
import { kubectl } from "../control-plane/access.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import { ARGOCD, startArgoCd, type RunningArgoCd } from "../support/argocd/argocd.ts";
import { createRepository, type Repository } from "../support/argocd/git.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import { guideManifests, previewChart } from "../support/examples/preview-guide.ts";
import { startCodeHost, type CodeHost } from "../support/examples/pull-requests.ts";
import { COMMIT, defaults, NEXT_COMMIT, project } from "../support/kube/manifests.ts";

const root = join(import.meta.dirname, "../..");
const controlPlane = await startControlPlane({ controllers: true, crdsDir: join(root, "crds") });
// Before the stages' own hooks, so that it ends after them: the last one that was set runs first.
afterAll(() => controlPlane.stop());

const LAST_COMMIT = "fedcba9876543210fedcba9876543210fedcba98";
const CLUSTER = "00000000-0000-4000-8000-000000000002";

let argocd: RunningArgoCd | undefined;
let repository: Repository;

beforeAll(async () => {
  repository = await createRepository();
  argocd = await startArgoCd(controlPlane, { applicationSets: true });
});

afterAll(async () => {
  await argocd?.stop();
  await repository.remove();
});

/** The guide's text with other names in it. */
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
    const set = guideManifests().find(({ kind }) => kind === "ApplicationSet");
    const names = new Map([
      ["previews", set?.metadata.name === "previews" ? env.namespace : ""],
      ["preview-{{.number}}", `${surface}-{{.number}}`],
      ["preview", surface],
      ["https://git.example.com/acme/platform.git", repository.url],
      ["https://kubernetes.default.svc", controlPlane.server],
    ]);
    const token = { apiVersion: "v1", kind: "Secret", metadata: { name: "github-token", namespace: ARGOCD } };
    const applied = [{ ...token, stringData: { token: "nobody-asks" } }, asking(replaced(set, names), host.url)];
    await kubectl(controlPlane, ["apply", "-f", "-"], {
      input: JSON.stringify({ apiVersion: "v1", kind: "List", items: applied }),
    });
  });

  afterAll(async () => {
    await kubectl(controlPlane, ["delete", "applicationset", env.namespace, "-n", ARGOCD, "--cascade=orphan"]);
    await host.close();
  });

  const opened = (commit: string): void => {
    // In a test the label is named as its surface, as the guide's own word stands for the folder as well.
    host.open = [{ number: 42, branch: "feature/cart", commit, labels: [surface] }];
  };
  const runs = async (commit: string): Promise<readonly string[]> => {
    const application = await env.waitFor(
      "PlatformApplication",
      "pr-42",
      (object) =>
        JSON.stringify(object.status).includes(`"gitCommitId":"${commit}"`) &&
        condition(object, "Ready")?.reason === "Deployed",
    );
    return [idOf(await env.waitFor("PlatformEnvironment", "pr-42", { status: "True" })), idOf(application)];
  };

  it("opens, follows a push, closes, and is reopened", async () => {
    opened(COMMIT);
    const first = await runs(COMMIT);
    opened(NEXT_COMMIT);
    expect(await runs(NEXT_COMMIT)).toEqual(first);
    host.open = [];
    for (const kind of ["PlatformApplication", "PlatformEnvironment"]) await env.waitGone(kind, "pr-42");
    const { environments } = env.platform.world();
    expect([...environments.keys()]).toEqual(surface === "full" ? [] : [first[0]]);
    opened(LAST_COMMIT);
    const again = await runs(LAST_COMMIT);
    expect({ isSame: again.join() === first.join(), environments: environments.size }).toEqual({
      isSame: surface === "documented",
      environments: 1,
    });
  });
});

const List = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

/** Documents of deploy/argocd with other names in them, applied. */
async function shipped(file: string, ...names: readonly (readonly [string, string])[]): Promise<void> {
  const known = [["https://kubernetes.default.svc", controlPlane.server], ["v0.1.0", "main"], ...names] as const;
  const text = await readFile(join(root, "deploy/argocd", file), "utf8");
  const items = parseAllDocuments(text).map((document) => replaced(document.toJSON() as Json, new Map(known)));
  await kubectl(controlPlane, ["apply", "-f", "-"], {
    input: JSON.stringify({ apiVersion: "v1", kind: "List", items }),
  });
}

/** The Application once it is as it should be. */
async function application(name: string, is: object): Promise<void> {
  const look = async (): Promise<unknown> =>
    JSON.parse(await kubectl(controlPlane, ["get", "application", name, "-n", ARGOCD, "-o", "json"]));
  await vi.waitFor(async () => expect(await look()).toMatchObject({ status: is }), { timeout: 120_000, interval: 500 });
}

describe("deploy/argocd", () => {
  const env = createEnv({ surface: "documented", controlPlane, args: ["--leader-elect=false"] });
  // Argo CD asks a repository for its newest commit every three minutes: here one is all that there is.
  let ours: Repository;
  beforeAll(async () => {
    ours = await createRepository();
  });
  afterAll(async () => ours.remove());

  it("applies the operator's chart on the server's side, and never prunes the CRDs", async () => {
    const chart = await readdir(join(root, "helm-chart"), { recursive: true, withFileTypes: true });
    const files = chart
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }): Promise<[string, string]> => {
        const path = join(parentPath, name);
        return [relative(root, path), await readFile(path, "utf8")];
      });
    const cluster = { apiVersion: "platform-operator.io/v1alpha1", kind: "ClusterPlatformConnection" };
    const bad = { ...cluster, metadata: { name: "mine" }, spec: { baseUrl: "https://api.example.com" } };
    await ours.add(
      new Map([
        ...(await Promise.all(files)),
        [`tenants/${env.namespace}/project.yaml`, JSON.stringify(project("shop"))],
        ["tenants/greedy/connection.yaml", JSON.stringify(bad)],
      ]),
    );
    await shipped("operator.yaml", ["https://github.com/platform-operator/platform-operator.git", ours.url]);
    const succeeded = { phase: "Succeeded" };
    await application("platform-operator", { sync: { status: "Synced" }, operationState: succeeded });
    const crds = async (): Promise<readonly string[]> =>
      List.parse(JSON.parse(await kubectl(controlPlane, ["get", "crds", "-o", "json"])))
        .items.map(({ metadata }) => metadata.name)
        .filter((name) => name.endsWith(".platform-operator.io"));
    const before = await crds();
    expect(before).toHaveLength(13);
    const without = {
      crds: { install: false },
      podDisruptionBudget: { enabled: false },
      serviceAccount: { name: "new" },
    };
    const patch = JSON.stringify({ spec: { source: { helm: { valuesObject: without } } } });
    const app = ["application", "platform-operator", "-n", ARGOCD];
    await kubectl(controlPlane, ["patch", ...app, "--type=merge", "-p", patch]);
    const pruned = { kind: "ServiceAccount", name: "platform-operator", status: "Pruned" };
    await application("platform-operator", {
      operationState: {
        ...succeeded,
        syncResult: {
          resources: expect.arrayContaining([expect.objectContaining(pruned)]),
        },
      },
    });
    expect(await crds()).toEqual(before);
    await kubectl(controlPlane, ["delete", ...app]);
  });

  it("gives each team its namespace, and no team what is the cluster's", async () => {
    const { namespace } = env;
    await env.apply(...defaults(env));
    await shipped("tenants.yaml", ["https://git.example.com/acme/tenants.git", ours.url]);
    await application(`tenant-${namespace}`, { sync: { status: "Synced" }, health: { status: "Healthy" } });
    expect(condition(await env.get("PlatformProject", "shop"), "Ready")?.status).toBe("True");
    const denied = { message: expect.stringContaining("is not permitted in project") };
    await application("tenant-greedy", {
      operationState: { syncResult: { resources: [expect.objectContaining(denied)] } },
    });
    await kubectl(controlPlane, ["delete", "applicationset", "tenants", "-n", ARGOCD]);
    expect((await env.get("PlatformProject", "shop")).metadata.deletionTimestamp).toBeUndefined();
  });
});

/** The ApplicationSet asking the test's code host, often. */
function asking(set: Json, url: string): JsonObject {
  const text = JSON.stringify(set);
  const github = text.replace('"owner":"acme"', `"owner":"acme","api":${JSON.stringify(url)}`);
  const parsed: unknown = JSON.parse(github.replace('"requeueAfterSeconds":300', '"requeueAfterSeconds":2'));
  if (!isObject(parsed) || github === text) throw new Error("the guide has no ApplicationSet that asks GitHub");
  return parsed;
}
