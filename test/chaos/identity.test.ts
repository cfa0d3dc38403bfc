/** What an API server keeps, prunes and hands back of the records, where backups, careless hands and copies come in. */
import { describe, expect, it, vi } from "vitest";

import { EXTERNAL_ID, FINALIZER, INSTALLATION, RESOLVE } from "../../src/api/names.ts";
import { member } from "../../src/kube/api/json.ts";
import { objectPath } from "../../src/kube/api/paths.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { TYPES } from "../../src/operator/config/caches.ts";
import { defaults, deploying, NEXT_COMMIT, resource, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { effects } from "./effects.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import { writesWhenIdle } from "./lifecycle/rest.ts";
import type { Interceptor } from "./tap/call.ts";

const KINDS = ["PlatformProject", "PlatformEnvironment", "PlatformApplication", "PlatformVariableSet"] as const;
const NAME = "shop";
const READY = { status: "True" } as const;
const PATIENCE_MS = 60_000;
/** Of the cluster that a backup is restored into. */
const OTHER_UID = "0c0ffee0-0000-4000-8000-000000000001";

/** As if this namespace was another cluster: its kube-system has another uid. */
const elsewhere: Interceptor = {
  decide: ({ url }) =>
    url.includes("/namespaces/kube-system")
      ? { do: "answer", status: 200, body: JSON.stringify({ metadata: { name: "kube-system", uid: OTHER_UID } }) }
      : { do: "forward" },
};

function manifests(env: ChaosEnv) {
  const gone = { lifecycle: { deletionPolicy: "Delete" } };
  const targets = [{ applicationRef: { name: NAME } }];
  return [
    ...defaults(env),
    ...tree(env, NAME, gone),
    resource("PlatformVariableSet", NAME, { targets, variables: [{ name: "MODE", value: "fast" }], overwrite: true }),
  ];
}

async function ready(env: ChaosEnv): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const kind of KINDS) objects.push(await env.waitFor(kind, NAME, READY, PATIENCE_MS));
  return objects;
}

async function living(): Promise<ChaosEnv> {
  const env = await openChaosEnv({ surface: "full" });
  await env.apply(...manifests(env));
  await ready(env);
  // The application is deployed once more with the variables of its set.
  await vi.waitFor(
    () => expect(effects(env).filter((one) => one === "deployApplication")).toHaveLength(2),
    PATIENCE_MS,
  );
  // What is saved, lost or copied then is whole: the last deployment is in the status, too.
  expect(await writesWhenIdle(env)).toEqual([]);
  await ready(env);
  return env;
}

/** Puts an object whole into the place of what is there. */
async function replace(env: ChaosEnv, kind: string, object: JsonObject, subresource?: "status"): Promise<void> {
  const type = TYPES.find((one) => one.kind === kind);
  if (type === undefined) throw new Error(`no type ${kind}`);
  const path = objectPath(type, { namespace: env.namespace, name: NAME }, subresource);
  await env.client.request({ method: "PUT", path, body: object });
}

const idOf = ({ status }: KubeObject): unknown => member(status, "externalId");

describe("[R1] on a real API server", () => {
  it("a backup restored into another cluster writes nothing, until its connection is told to adopt", async ({
    task,
  }) => {
    await using env = await living();
    const before = effects(env).length;
    await using copy = await openChaosEnv({ surface: "full", interceptor: elsewhere });
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
    for (const kind of KINDS) await copy.waitFor(kind, NAME, { reason: "ForeignLedger" }, PATIENCE_MS);
    await copy.patch("PlatformApplication", NAME, deploying(NEXT_COMMIT));
    for (const kind of KINDS) await copy.waitFor(kind, NAME, { reason: "ForeignLedger" }, PATIENCE_MS);
    // The first one goes on.
    await env.patch("PlatformProject", NAME, { spec: { description: "still ours" } });
    await vi.waitFor(() => expect(effects(env).slice(before)).toEqual(["updateProject"]), PATIENCE_MS);
    await ready(env);
    await env.kill();
    await copy.patch("PlatformProject", NAME, { spec: { description: "still ours" } });
    await copy.annotate("PlatformConnection", "default", { [RESOLVE]: "adopt" });
    await copy.waitFor("PlatformApplication", NAME, { ...READY, reason: "Deployed" }, PATIENCE_MS);
    const moved = await ready(copy);
    expect(moved.map(idOf)).toEqual((await ready(env)).map(idOf));
    for (const { status } of moved) expect(member(member(status, "identity"), "installation")).toBe(OTHER_UID);
    expect(effects(env).slice(before)).toEqual(["updateProject", "deployApplication"]);
    figure(task, "0 writes beside the living one", KINDS.length);
  });

  it("all statuses lost, then all annotations and finalizers: the same objects, and a deletion that ends them", async ({
    task,
  }) => {
    await using env = await living();
    const ids = (await ready(env)).map(idOf);
    const before = effects(env).length;
    await env.kill();
    for (const kind of KINDS) {
      const { apiVersion, metadata, spec = {} } = await env.get(kind, NAME);
      await replace(env, kind, { apiVersion, kind, metadata: { ...metadata }, spec }, "status");
    }
    await env.start();
    await ready(env);
    // The set may overwrite what it does not know any more, and that is brought out once.
    const again = ["importEnvironmentVariable", "deployApplication"];
    await vi.waitFor(() => expect(effects(env).slice(before)).toEqual(again), PATIENCE_MS);
    expect((await ready(env)).map(idOf)).toEqual(ids);
    const stripped = effects(env).length;
    for (const kind of KINDS) {
      const { apiVersion, metadata, spec = {} } = await env.get(kind, NAME);
      const { resourceVersion } = metadata;
      await replace(env, kind, { apiVersion, kind, metadata: { name: NAME, resourceVersion }, spec });
    }
    for (const kind of KINDS) {
      const isWhole = ({ metadata }: KubeObject): boolean =>
        metadata.annotations?.[INSTALLATION] !== undefined &&
        (kind === "PlatformVariableSet" || metadata.finalizers?.includes(FINALIZER) === true);
      await env.waitFor(kind, NAME, isWhole, PATIENCE_MS);
    }
    const backups = (await ready(env)).map(({ metadata }) => metadata.annotations?.[EXTERNAL_ID]);
    expect(backups).toEqual(ids);
    expect(effects(env).slice(stripped)).toEqual([]);
    for (const kind of KINDS.toReversed()) await env.remove(kind, NAME);
    for (const kind of KINDS.toReversed()) await env.waitGone(kind, NAME, PATIENCE_MS);
    const { services, environments, projects } = env.platform.world();
    expect([services.size, environments.size, projects.size]).toEqual([0, 0, 0]);
    figure(task, "0 creates after both were lost", 2 * KINDS.length);
  });
});
