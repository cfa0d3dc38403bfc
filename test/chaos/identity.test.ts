/** What an API server keeps, prunes and hands back of the records, where backups, careless hands and copies come in. */
import { describe, expect, it, vi } from "vitest";

import { EXTERNAL_ID, FINALIZER, INSTALLATION, RESOLVE } from "../../src/api/names.ts";
import { member } from "../../src/kube/api/json.ts";
import { objectPath } from "../../src/kube/api/paths.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { TYPES } from "../../src/operator/config/caches.ts";
import { defaults, deploying, NEXT_COMMIT, resource, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { type Bed, openBed } from "./bed.ts";
import { effects } from "./effects.ts";
import { restlessness } from "./lifecycle/rest.ts";
import type { Director } from "./tap/call.ts";

const KINDS = ["PlatformProject", "PlatformEnvironment", "PlatformApplication", "PlatformVariableSet"] as const;
const NAME = "shop";
const READY = { status: "True" } as const;
const PATIENCE_MS = 60_000;
/** Of the cluster that a backup is restored into. */
const OTHER_UID = "0c0ffee0-0000-4000-8000-000000000001";

/** As if this namespace was another cluster: its kube-system has another uid. */
const elsewhere: Director = {
  decide: ({ url }) =>
    url.includes("/namespaces/kube-system")
      ? { do: "answer", status: 200, body: JSON.stringify({ metadata: { name: "kube-system", uid: OTHER_UID } }) }
      : { do: "pass" },
};

function manifests(bed: Bed) {
  const gone = { lifecycle: { deletionPolicy: "Delete" } };
  const targets = [{ applicationRef: { name: NAME } }];
  return [
    ...defaults(bed),
    ...tree(bed, NAME, gone),
    resource("PlatformVariableSet", NAME, { targets, variables: [{ name: "MODE", value: "fast" }], overwrite: true }),
  ];
}

async function ready(bed: Bed): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const kind of KINDS) objects.push(await bed.waitFor(kind, NAME, READY, PATIENCE_MS));
  return objects;
}

async function living(): Promise<Bed> {
  const bed = await openBed({ surface: "full" });
  await bed.apply(...manifests(bed));
  await ready(bed);
  // The application is deployed once more with the variables of its set.
  await vi.waitFor(
    () => expect(effects(bed).filter((one) => one === "deployApplication")).toHaveLength(2),
    PATIENCE_MS,
  );
  // What is saved, lost or copied then is whole: the last deployment is in the status, too.
  expect(await restlessness(bed)).toEqual([]);
  await ready(bed);
  return bed;
}

/** Puts an object whole into the place of what is there. */
async function replace(bed: Bed, kind: string, object: JsonObject, subresource?: "status"): Promise<void> {
  const type = TYPES.find((one) => one.kind === kind);
  if (type === undefined) throw new Error(`no type ${kind}`);
  const path = objectPath(type, { namespace: bed.namespace, name: NAME }, subresource);
  await bed.client.request({ method: "PUT", path, body: object });
}

const idOf = ({ status }: KubeObject): unknown => member(status, "externalId");

describe("[R1] on a real API server", () => {
  it("a backup restored into another cluster writes nothing, until its connection is told to adopt", async ({
    task,
  }) => {
    await using bed = await living();
    const before = effects(bed).length;
    await using copy = await openBed({ surface: "full", director: elsewhere });
    await copy.kill();
    for (const object of await ready(bed)) {
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
    await copy.apply(...defaults(bed));
    await copy.start();
    for (const kind of KINDS) await copy.waitFor(kind, NAME, { reason: "ForeignLedger" }, PATIENCE_MS);
    await copy.patch("PlatformApplication", NAME, deploying(NEXT_COMMIT));
    for (const kind of KINDS) await copy.waitFor(kind, NAME, { reason: "ForeignLedger" }, PATIENCE_MS);
    // The first one goes on.
    await bed.patch("PlatformProject", NAME, { spec: { description: "still ours" } });
    await vi.waitFor(() => expect(effects(bed).slice(before)).toEqual(["updateProject"]), PATIENCE_MS);
    await ready(bed);
    await bed.kill();
    await copy.patch("PlatformProject", NAME, { spec: { description: "still ours" } });
    await copy.annotate("PlatformConnection", "default", { [RESOLVE]: "adopt" });
    await copy.waitFor("PlatformApplication", NAME, { ...READY, reason: "Deployed" }, PATIENCE_MS);
    const moved = await ready(copy);
    expect(moved.map(idOf)).toEqual((await ready(bed)).map(idOf));
    for (const { status } of moved) expect(member(member(status, "identity"), "installation")).toBe(OTHER_UID);
    expect(effects(bed).slice(before)).toEqual(["updateProject", "deployApplication"]);
    figure(task, "0 writes beside the living one", KINDS.length);
  });

  it("all statuses lost, then all annotations and finalizers: the same objects, and a deletion that ends them", async ({
    task,
  }) => {
    await using bed = await living();
    const ids = (await ready(bed)).map(idOf);
    const before = effects(bed).length;
    await bed.kill();
    for (const kind of KINDS) {
      const { apiVersion, metadata, spec = {} } = await bed.get(kind, NAME);
      await replace(bed, kind, { apiVersion, kind, metadata: { ...metadata }, spec }, "status");
    }
    await bed.start();
    await ready(bed);
    // The set may overwrite what it does not know any more, and that is brought out once.
    const again = ["importEnvironmentVariable", "deployApplication"];
    await vi.waitFor(() => expect(effects(bed).slice(before)).toEqual(again), PATIENCE_MS);
    expect((await ready(bed)).map(idOf)).toEqual(ids);
    const stripped = effects(bed).length;
    for (const kind of KINDS) {
      const { apiVersion, metadata, spec = {} } = await bed.get(kind, NAME);
      const { resourceVersion } = metadata;
      await replace(bed, kind, { apiVersion, kind, metadata: { name: NAME, resourceVersion }, spec });
    }
    for (const kind of KINDS) {
      const isWhole = ({ metadata }: KubeObject): boolean =>
        metadata.annotations?.[INSTALLATION] !== undefined &&
        (kind === "PlatformVariableSet" || metadata.finalizers?.includes(FINALIZER) === true);
      await bed.waitFor(kind, NAME, isWhole, PATIENCE_MS);
    }
    const backups = (await ready(bed)).map(({ metadata }) => metadata.annotations?.[EXTERNAL_ID]);
    expect(backups).toEqual(ids);
    expect(effects(bed).slice(stripped)).toEqual([]);
    for (const kind of KINDS.toReversed()) await bed.remove(kind, NAME);
    for (const kind of KINDS.toReversed()) await bed.waitGone(kind, NAME, PATIENCE_MS);
    const { services, environments, projects } = bed.platform.world();
    expect([services.size, environments.size, projects.size]).toEqual([0, 0, 0]);
    figure(task, "0 creates after both were lost", 2 * KINDS.length);
  });
});
