/** What stays on a platform that deletes nothing, and what a resource of the same name makes of it. */
import { beforeAll, describe, expect, inject, it, vi } from "vitest";

import { PATIENCE_MS } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { metricsOf } from "../support/env/secrets.ts";
import { idOf } from "../support/env/settling.ts";
import { defaults, environment, project } from "../support/kube/manifests.ts";
import { orphanLog } from "../support/platform/change-log.ts";
import { cli } from "../support/programs/cli.ts";

const { kubeconfigPath } = inject("controlPlane");
const DELETE = { lifecycle: { deletionPolicy: "Delete" } };

describe("previews on the documented surface", () => {
  const env = createEnv({ surface: "documented" });

  const orphans = async (...argv: readonly string[]) =>
    await cli(["orphans", ...argv, `--operator-namespace=${env.operatorNamespace}`, "--kubeconfig", kubeconfigPath]);

  beforeAll(async () => {
    await env.ready(...defaults(env), project("shop"));
  });

  it("is listed, counted, reported, and forgotten", async () => {
    const name = "pr-3";
    const preview = environment(env, name, "shop", DELETE);
    const id = idOf(await env.ready(preview));
    await env.delete(preview);
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
    await env.stalled("PlatformEnvironment", name, "NameConflict");
    await env.delete(preview);
  });
});
