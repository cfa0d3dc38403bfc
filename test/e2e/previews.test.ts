/**
 * docs/guides/previews.md as it stands, played by Argo CD itself: its ApplicationSet controller asks a code host for
 * open pull requests, its repository server renders the guide's chart with helm, its controller applies and prunes.
 */
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

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

/** The ApplicationSet asking the test's code host, often. */
function asking(set: Json, url: string): JsonObject {
  const text = JSON.stringify(set);
  const github = text.replace('"owner":"acme"', `"owner":"acme","api":${JSON.stringify(url)}`);
  const parsed: unknown = JSON.parse(github.replace('"requeueAfterSeconds":300', '"requeueAfterSeconds":2'));
  if (!isObject(parsed) || github === text) throw new Error("the guide has no ApplicationSet that asks GitHub");
  return parsed;
}
