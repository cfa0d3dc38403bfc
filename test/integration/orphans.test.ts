/** What stays on a platform that deletes nothing, and what a resource of the same name makes of it. */
import { beforeAll, describe, expect, inject, it, vi } from "vitest";

import { condition, PATIENCE_MS, type Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { metricsOf } from "../support/env/secrets.ts";
import { eventsOf, idOf } from "../support/env/settling.ts";
import {
  application,
  blueprint,
  COMMIT,
  database,
  defaults,
  environment,
  NEXT_COMMIT,
  project,
  resource,
} from "../support/kube/manifests.ts";
import { orphanLog } from "../support/platform/change-log.ts";
import { cli } from "../support/programs/cli.ts";

const { kubeconfigPath } = inject("controlPlane");
const DELETE = { lifecycle: { deletionPolicy: "Delete" } };

describe("previews on the documented surface", () => {
  const env = createEnv({ surface: "documented" });

  const orphans = async (...argv: readonly string[]) =>
    await cli(["orphans", ...argv, `--operator-namespace=${env.operatorNamespace}`, "--kubeconfig", kubeconfigPath]);
  const gone = async (...manifests: readonly Manifest[]): Promise<void> => {
    await Promise.all(manifests.map(async ({ kind, metadata }) => env.remove(kind, metadata.name)));
    for (const { kind, metadata } of manifests) await env.waitGone(kind, metadata.name);
  };

  beforeAll(async () => {
    await env.ready(...defaults(env), project("shop"));
  });

  it("everything in it is found again, and the new commit is deployed", async () => {
    const name = "pr-2";
    const preview = (commit: string): readonly Manifest[] => [
      environment(env, name, "shop", DELETE),
      application(name, name, { ...DELETE, deploy: { gitCommitId: commit } }),
      database(name, name, DELETE),
      // No surface deletes blueprints, so there is no policy Delete for them.
      blueprint(name, name, { deployOnCreate: false }),
      resource("PlatformWebhook", name, {
        targetUrl: `https://hooks.example.com/${name}`,
        events: ["DEPLOYMENT_STARTED"],
        ...DELETE,
      }),
    ];
    const settled = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      for (const { kind } of preview(COMMIT)) found.push(idOf(await env.waitFor(kind, name, { status: "True" })));
      return found;
    };
    await env.apply(...preview(COMMIT));
    const before = await settled();
    await gone(...preview(COMMIT));
    const record = await env.record();
    await env.apply(...preview(NEXT_COMMIT));
    expect(await settled()).toEqual(before);
    expect(record.changes()).toEqual(["deployApplication"]);
    expect((await env.get("PlatformApplication", name)).status).toMatchObject({
      lastDeployment: { gitCommitId: NEXT_COMMIT },
    });
    expect(await eventsOf(env, name, "Adopted")).toHaveLength(5);
    await gone(...preview(NEXT_COMMIT));
  });

  it("is listed, counted, reported, and forgotten", async () => {
    const name = "pr-3";
    const preview = environment(env, name, "shop", DELETE);
    const id = idOf(await env.ready(preview));
    await gone(preview);
    const { code, stdout } = await orphans("-n", env.namespace);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^NAMESPACE +NAME +REMOTE-ID +REASON +AGE$/m);
    expect(stdout).toMatch(new RegExp(`^${env.namespace} +penv/${name} +${id} +DeleteNotSupported +\\d+s$`, "m"));
    expect((await orphans("-n", "elsewhere")).stderr).toContain("Nothing found.");
    expect((await orphans("-n", env.namespace, "-o", "name")).stdout).toContain(
      `platformenvironment.platform-operator.io/${name}\n`,
    );
    expect(orphanLog(env.operator.logs()).filter((line) => line.name === name)).toMatchObject([
      { orphan: "recorded", kind: "PlatformEnvironment", namespace: env.namespace, id, reason: "DeleteNotSupported" },
    ]);
    await vi.waitFor(async () => {
      expect(await metricsOf(env.operator)).toMatch(
        /^platform_operator_orphaned_objects\{kind="PlatformEnvironment"\} [1-9]\d*$/m,
      );
    }, PATIENCE_MS);
    expect(await orphans("forget", id)).toMatchObject({ code: 0, stdout: `${id} forgotten\n` });
    const again = await orphans("forget", id);
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 1, stdout: "" });
    expect((await orphans("forget", "pr-3")).code).toBe(64);
    // Now it is nothing but a name that is taken.
    await env.apply(preview);
    const taken = await env.waitFor("PlatformEnvironment", name, { reason: "NameConflict" });
    expect(condition(taken, "Stalled")).toMatchObject({ status: "True" });
    await gone(preview);
  });
});
