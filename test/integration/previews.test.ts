/**
 * docs/guides/previews.md on a real API server, as its ApplicationSet has it applied, changed and deleted. Argo CD
 * itself plays it in test/e2e/previews.test.ts.
 */
import { beforeAll, describe, expect, inject, it } from "vitest";

import { condition, type Manifest } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { eventsOf, idOf } from "../support/env/settling.ts";
import { guideManifests, renderPreview } from "../support/examples/preview-guide.ts";
import { COMMIT, defaults, NEXT_COMMIT } from "../support/kube/manifests.ts";
import { cli } from "../support/programs/cli.ts";

const { kubeconfigPath } = inject("controlPlane");
const LAST_COMMIT = "fedcba9876543210fedcba9876543210fedcba98";

describe.each(effort.few(["documented", "full"] as const))("the guide for previews on the %s surface", (surface) => {
  const env = createEnv({ surface });
  const KINDS = ["PlatformEnvironment", "PlatformApplication"] as const;

  /** The preview of a pull request at a commit, on the environment's cluster. */
  const preview = (commit: string): readonly Manifest[] =>
    renderPreview({ number: "42", branch: "feature/cart", commit }).map((manifest) => {
      if (manifest.kind !== "PlatformEnvironment") return manifest;
      const spec = { ...Object(manifest["spec"]), clusterRef: { externalId: env.platform.clusterIds[0] ?? "" } };
      return { ...manifest, spec };
    });
  const ready = async (commit: string): Promise<readonly string[]> => {
    const deployed = await env.waitFor(
      "PlatformApplication",
      "pr-42",
      (object) =>
        JSON.stringify(object.status).includes(`"gitCommitId":"${commit}"`) &&
        condition(object, "Ready")?.reason === "Deployed",
    );
    return [idOf(await env.waitFor("PlatformEnvironment", "pr-42", { status: "True" })), idOf(deployed)];
  };
  const close = async (): Promise<void> => {
    await Promise.all(KINDS.map((kind) => env.remove(kind, "pr-42")));
    for (const kind of KINDS) await env.waitGone(kind, "pr-42");
  };
  const left = (): readonly string[] => [...env.platform.world().environments.values()].map(({ name }) => name);

  beforeAll(async () => {
    const project = guideManifests().filter(({ kind }) => kind === "PlatformProject");
    await env.apply(
      ...defaults(env),
      ...project.map(({ metadata, ...rest }) => ({ ...rest, metadata: { name: metadata.name } })),
    );
  });

  it("opens, follows a push, closes, and is reopened at another commit", async () => {
    await env.apply(...preview(COMMIT));
    const opened = await ready(COMMIT);
    await env.apply(...preview(NEXT_COMMIT));
    expect(await ready(NEXT_COMMIT)).toEqual(opened);
    await close();
    expect(left()).toEqual(surface === "full" ? [] : ["pr-42"]);
    const record = await env.record();
    await env.apply(...preview(LAST_COMMIT));
    const reopened = await ready(LAST_COMMIT);
    expect(left()).toEqual(["pr-42"]);
    expect({ isSame: reopened.join() === opened.join(), changes: record.changes() }).toEqual({
      isSame: surface === "documented",
      changes: [...(surface === "full" ? ["createEnvironment", "createApplication"] : []), "deployApplication"],
    });
    expect(await eventsOf(env, "pr-42", "Adopted")).toHaveLength(surface === "full" ? 0 : 2);
  });

  it("lists what stays", async () => {
    await close();
    const { stdout, stderr } = await cli([
      "orphans",
      `--operator-namespace=${env.operatorNamespace}`,
      ...["--kubeconfig", kubeconfigPath, "-o", "name"],
    ]);
    const names = KINDS.map((kind) => `${kind.toLowerCase()}.platform-operator.io/pr-42\n`);
    expect({ names: stdout.split(/(?<=\n)/).toSorted(), stderr }).toEqual({
      names: surface === "full" ? [""] : names.toSorted(),
      stderr: "",
    });
  });
});
