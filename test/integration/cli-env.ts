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
    run: (argv: readonly string[], options?: CliOptions) => cli([...flags, ...argv], options),
    /** Records a custom resource's id on the platform, like the operator. */
    claim,
  };
}

/** Replaces ids, dates and addresses that differ from run to run by fixed values of the same length. */
export function normalized(text: string): string {
  const ids = new Map<string, string>();
  const numbered = (id: string): string => {
    const known = ids.get(id) ?? `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, "0")}`;
    ids.set(id, known);
    return known;
  };
  return (
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, numbered)
      .replaceAll(
        /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g,
        (_, fraction: string = "") => `2026-01-01T00:00:00${fraction.replaceAll(/\d/g, "0")}Z`,
      )
      .replaceAll(/\bcli-[0-9a-f]{8}\b/g, "cli-00000000")
      // The names of built-in variables contain the beginning of an id.
      .replaceAll(/_Z[0-9A-F]{8}_/g, "_Z00000000_")
  );
}
