/** A user at the command line: a namespace of the real control plane, a simulated platform, and no operator. */
import { randomUUID } from "node:crypto";

import { afterAll, beforeAll, inject } from "vitest";

import type { Surface } from "../../simulator/base/operations.ts";
import { cluster, clientAt, createNamespace } from "../support/env/cluster.ts";
import { COMMIT, defaults, environment, project, resource } from "../support/kube/manifests.ts";
import { startHarness, type World } from "../support/platform/env.ts";
import { cli, type CliOptions } from "../support/programs/cli.ts";

/**
 * Sets up before the tests of the file or describe that it is called in, and tears down after them: a connection
 * `default`, PlatformProject `shop`, PlatformEnvironment `staging`, PlatformApplication `api`, all on the platform.
 */
export function createCliEnv(surface: Surface) {
  const facts = inject("controlPlane");
  const namespace = `cli-${randomUUID().slice(0, 8)}`;
  const client = clientAt(facts.kubeconfigPath, "cli-world");
  const here = cluster(() => client, namespace);
  let world: World | undefined;
  const flags = [`--kubeconfig=${facts.kubeconfigPath}`, `--namespace=${namespace}`, "--allow-insecure-platform"];

  const claim = (kind: string, name: string, externalId: string): Promise<void> =>
    here.patch(kind, name, { status: { externalId } }, "status");

  beforeAll(async () => {
    await createNamespace(client, namespace);
    world = await startHarness(surface, "");
    const { simulator, projectId, environmentId, applicationId } = world;
    const fixtures = { platform: simulator };
    await here.apply(
      ...defaults(fixtures, { surface: surface === "full" ? "Full" : "Documented" }),
      project("shop"),
      environment(fixtures, "staging", "shop"),
      resource("PlatformApplication", "api", {
        name: "api",
        environmentRef: { name: "staging" },
        gitRepository: { url: "https://github.com/acme/web.git", branch: "main" },
        deploy: { gitCommitId: COMMIT },
      }),
    );
    await claim("PlatformProject", "shop", projectId);
    await claim("PlatformEnvironment", "staging", environmentId);
    await claim("PlatformApplication", "api", applicationId);
  });

  afterAll(async () => {
    await client.close();
    await world?.close();
  });

  return {
    ...here,
    namespace,
    facts,
    flags,
    get world() {
      if (world === undefined) throw new Error("the world is there from beforeAll on");
      return world;
    },
    /** Runs a command as the cluster's admin, in the namespace. */
    run: (argv: readonly string[], options?: CliOptions) =>
      cli([...flags, ...argv], { kubectl: facts.kubectlPath, ...options }),
    /** Records a custom resource's id on the platform, like the operator. */
    claim,
  };
}
