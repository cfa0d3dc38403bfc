import { describe, expect, it } from "vitest";

import { KubeError } from "../../../kube/api/errors.ts";
import type { KubeRequest } from "../../../kube/api/transport.ts";
import type { Json, JsonObject, KubeFailure, KubeObject } from "../../../kube/api/types.ts";
import type { ClusterClient } from "../../base/cluster.ts";
import { dryApply } from "./apply.ts";
import type { Manifest } from "./manifests.ts";

const KIND = "PlatformProject";
const apiVersion = "platform-operator.io/v1alpha1";

function manifest(spec: JsonObject): Manifest {
  const body = { apiVersion, kind: KIND, metadata: { name: "web" }, spec };
  return { apiVersion, kind: KIND, name: "web", namespace: undefined, body, file: "web.yaml" };
}

function existing(spec: JsonObject, applied?: JsonObject): KubeObject {
  const last = applied === undefined ? {} : { [LAST]: JSON.stringify({ spec: applied }) };
  return {
    apiVersion,
    kind: KIND,
    metadata: { name: "web", namespace: "shop", uid: "1", resourceVersion: "7", generation: 3, annotations: last },
    spec,
    status: { externalId: "0a1b" },
  };
}
const LAST = "kubectl.kubernetes.io/last-applied-configuration";

/** A cluster that gives every request the same answer, and records the requests. */
function answering(answer: JsonObject | KubeFailure) {
  const asked: KubeRequest[] = [];
  const request = (one: KubeRequest): Promise<Json> => {
    asked.push(one);
    return typeof answer === "string"
      ? Promise.reject(new KubeError(answer, 0, `${one.method} ${one.path}: refused`))
      : Promise.resolve(answer);
  };
  return { asked, cluster: { client: { request } } as unknown as ClusterClient };
}

describe("a manifest in a dry run", () => {
  it("is created without being stored", async () => {
    const { asked, cluster } = answering({
      metadata: { name: "web", namespace: "shop", uid: "new" },
      spec: { name: "Web" },
    });
    const applied = await dryApply(cluster, manifest({ name: "Web" }), "shop", undefined);
    expect(applied).toMatchObject({ kind: KIND, metadata: { uid: "new" } });
    expect(asked).toEqual([
      expect.objectContaining({
        method: "POST",
        path: `/apis/${apiVersion}/namespaces/shop/platformprojects`,
        query: { dryRun: "All", fieldManager: "kubectl-platform" },
      }),
    ]);
  });

  it("takes away what it said last and does not say any more, and leaves what others set", async () => {
    const old = existing(
      { name: "Web", description: "Old.", lifecycle: { deletionPolicy: "Delete" } },
      {
        name: "Web",
        description: "Old.",
      },
    );
    const { asked, cluster } = answering(old as unknown as JsonObject);
    await dryApply(cluster, manifest({ name: "Shop" }), "shop", old);
    expect(asked).toEqual([
      expect.objectContaining({
        method: "PATCH",
        query: { dryRun: "All", fieldManager: "kubectl-platform" },
        body: expect.objectContaining({ spec: { name: "Shop", description: null } }),
      }),
    ]);
  });

  it("is refused in the API server's words", async () => {
    const { cluster } = answering("Invalid");
    expect(await dryApply(cluster, manifest({}), "shop", undefined)).toMatch(
      /^The API server rejects it: POST \S+\/platformprojects: refused/,
    );
  });

  it.each<[KubeFailure]>([["Forbidden"], ["NotFound"]])("is worked out here on %s", async (failure) => {
    const { cluster } = answering(failure);
    expect(await dryApply(cluster, manifest({ name: "Web" }), "shop", undefined)).toMatchObject({
      metadata: { namespace: "shop", generation: 1 },
      spec: { name: "Web" },
      status: { observedGeneration: -1 },
    });
    const old = existing(
      { name: "Web", description: "Old.", lifecycle: { deletionPolicy: "Delete" } },
      { description: "Old." },
    );
    expect(await dryApply(cluster, manifest({ name: "Shop" }), "shop", old)).toMatchObject({
      metadata: { uid: "1", generation: 4 },
      spec: { name: "Shop", lifecycle: { deletionPolicy: "Delete" } },
      status: { externalId: "0a1b" },
    });
  });

  it("ends where the API server cannot be asked", async () => {
    const { cluster } = answering("Unreachable");
    await expect(dryApply(cluster, manifest({}), "shop", undefined)).rejects.toThrow(KubeError);
  });
});
