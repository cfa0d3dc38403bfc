/** Restored backups, lost statuses and lost annotations, with the pruning and validation of a real API server. */
import { describe, expect, it, vi } from "vitest";

import { EXTERNAL_ID, FINALIZER, INSTALLATION, RESOLVE } from "../../src/api/names.ts";
import { TYPES } from "../../src/config/kinds.ts";
import { recordedIdentityIn } from "../../src/engine/contract/status.ts";
import { objectPath } from "../../src/kube/api/paths.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { idOf } from "../support/env/settling.ts";
import { answerIn } from "../support/kube/answer.ts";
import { defaults, deploying, NEXT_COMMIT, resource, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { effects } from "./effects.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import { writesWhenIdle } from "./lifecycle/idle.ts";
import type { Interceptor } from "./tap/call.ts";

const KINDS = ["PlatformProject", "PlatformEnvironment", "PlatformApplication", "PlatformVariableSet"] as const;
const NAME = "shop";
const READY = { status: "True" } as const;
const TIMEOUT_MS = 60_000;
/** The kube-system uid of the cluster that a backup is restored into. */
const OTHER_UID = "0c0ffee0-0000-4000-8000-000000000001";

/** Makes the operator take its cluster for another one, by the uid of kube-system. */
const otherCluster: Interceptor = {
  decide: ({ url }) =>
    url.includes("/namespaces/kube-system")
      ? { do: "answer", status: 200, body: JSON.stringify({ metadata: { name: "kube-system", uid: OTHER_UID } }) }
      : { do: "forward" },
};

function manifests(env: ChaosEnv) {
  const deleted = { lifecycle: { deletionPolicy: "Delete" } };
  const targets = [{ applicationRef: { name: NAME } }];
  return [
    ...defaults(env),
    ...tree(env, NAME, deleted),
    resource("PlatformVariableSet", NAME, { targets, variables: [{ name: "MODE", value: "fast" }], overwrite: true }),
  ];
}

async function ready(env: ChaosEnv): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const kind of KINDS) objects.push(await env.waitFor(kind, NAME, READY, TIMEOUT_MS));
  return objects;
}

async function createReadyEnv(): Promise<ChaosEnv> {
  const env = await openChaosEnv({ surface: "full" });
  await env.apply(...manifests(env));
  await ready(env);
  // The variable set triggers a second deployment.
  await vi.waitFor(
    () => expect(effects(env).filter((effect) => effect === "deployApplication")).toHaveLength(2),
    TIMEOUT_MS,
  );
  // Wait until the status has the last deployment, so that the records are complete.
  expect(await writesWhenIdle(env)).toEqual([]);
  await ready(env);
  return env;
}

/** Replaces an object by PUT. */
async function replace(env: ChaosEnv, kind: string, object: JsonObject, subresource?: "status"): Promise<void> {
  const type = TYPES.find((candidate) => candidate.kind === kind);
  if (type === undefined) throw new Error(`no type ${kind}`);
  const path = objectPath(type, { namespace: env.namespace, name: NAME }, subresource);
  await env.client.request({ method: "PUT", path, body: object });
}

describe("[R1] the operator on a real API server", () => {
  it("writes nothing for a backup from another cluster until the annotation resolve on its connection says adopt", async ({
    task,
  }) => {
    await using env = await createReadyEnv();
    const before = effects(env).length;
    await using copy = await openChaosEnv({ surface: "full", interceptor: otherCluster });
    await copy.kill();
    for (const object of await ready(env)) {
      const { kind, metadata, spec = {}, status = {} } = object;
      const { annotations = {}, finalizers = [] } = metadata;
      await copy.apply({
        apiVersion: object.apiVersion,
        kind,
        metadata: { name: NAME, annotations: { ...annotations }, finalizers: [...finalizers] },
        spec,
      });
      await copy.patch(kind, NAME, { status }, "status");
    }
    await copy.apply(...defaults(env));
    await copy.start();
    for (const kind of KINDS) await copy.waitFor(kind, NAME, { reason: "ForeignLedger" }, TIMEOUT_MS);
    await copy.patch("PlatformApplication", NAME, deploying(NEXT_COMMIT));
    for (const kind of KINDS) await copy.waitFor(kind, NAME, { reason: "ForeignLedger" }, TIMEOUT_MS);
    // The first operator still writes.
    await env.patch("PlatformProject", NAME, { spec: { description: "changed" } });
    await vi.waitFor(() => expect(effects(env).slice(before)).toEqual(["updateProject"]), TIMEOUT_MS);
    await ready(env);
    await env.kill();
    expect(effects(env).slice(before)).toEqual(["updateProject"]);
    await copy.patch("PlatformProject", NAME, { spec: { description: "changed" } });
    const foreign = await copy.waitFor("PlatformProject", NAME, { reason: "ForeignLedger" }, TIMEOUT_MS);
    await copy.annotate("PlatformConnection", "default", { [RESOLVE]: answerIn(foreign) });
    await copy.waitFor("PlatformApplication", NAME, { ...READY, reason: "Deployed" }, TIMEOUT_MS);
    const moved = await ready(copy);
    expect(moved.map(idOf)).toEqual((await ready(env)).map(idOf));
    for (const object of moved) expect(recordedIdentityIn(object, "installation")).toBe(OTHER_UID);
    // The copy may share a list of projects that it read up to five seconds ago, and send the same description again.
    expect(
      effects(env)
        .slice(before + 1)
        .filter((effect) => effect !== "updateProject"),
    ).toEqual(["deployApplication"]);
    figure(task, "0 writes while the first cluster is the owner", KINDS.length);
  });

  it("finds its objects again when all statuses, and then all annotations and finalizers are lost, and deletes all of them", async ({
    task,
  }) => {
    await using env = await createReadyEnv();
    const ids = (await ready(env)).map(idOf);
    const before = effects(env).length;
    await env.kill();
    for (const kind of KINDS) {
      const { apiVersion, metadata, spec = {} } = await env.get(kind, NAME);
      await replace(env, kind, { apiVersion, kind, metadata: { ...metadata }, spec }, "status");
    }
    await env.start();
    await ready(env);
    // The set has `overwrite`: a variable with the value of its spec counts as its own.
    expect(await writesWhenIdle(env)).toEqual([]);
    expect(effects(env).slice(before)).toEqual([]);
    expect((await ready(env)).map(idOf)).toEqual(ids);
    const stripped = effects(env).length;
    for (const kind of KINDS) {
      const { apiVersion, metadata, spec = {} } = await env.get(kind, NAME);
      const { resourceVersion } = metadata;
      await replace(env, kind, { apiVersion, kind, metadata: { name: NAME, resourceVersion }, spec });
    }
    for (const kind of KINDS) {
      const isRestored = ({ metadata }: KubeObject): boolean =>
        metadata.annotations?.[INSTALLATION] !== undefined &&
        (kind === "PlatformVariableSet" || metadata.finalizers?.includes(FINALIZER) === true);
      await env.waitFor(kind, NAME, isRestored, TIMEOUT_MS);
    }
    // A variable set has no object of its own on the platform, and so no id.
    const backups = (await ready(env)).map(({ metadata }) => metadata.annotations?.[EXTERNAL_ID] ?? "");
    expect(backups).toEqual(ids);
    expect(effects(env).slice(stripped)).toEqual([]);
    for (const kind of KINDS.toReversed()) await env.remove(kind, NAME);
    for (const kind of KINDS.toReversed()) await env.waitGone(kind, NAME, TIMEOUT_MS);
    const { services, environments, projects } = env.platform.world();
    expect([...services.keys(), ...environments.keys(), ...projects.keys()]).toEqual([]);
    figure(task, "0 creates after both losses", 2 * KINDS.length);
  });
});
