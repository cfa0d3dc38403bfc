import { describe, expect, it } from "vitest";

import { KubeError } from "../../../kube/api/errors.ts";
import type { KubeRequest } from "../../../kube/api/transport.ts";
import type { Json, JsonObject, KubeFailure, KubeObject } from "../../../kube/api/types.ts";
import type { ClusterClient } from "../../base/cluster.ts";
import { dryApply } from "./apply.ts";
import type { Manifest } from "./manifests.ts";

const KIND = "PlatformProject";
const apiVersion = "platform-operator.io/v1alpha1";

function manifest(spec: JsonObject, metadata: JsonObject = {}): Manifest {
  const body = { apiVersion, kind: KIND, metadata: { name: "web", ...metadata }, spec };
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
        query: { dryRun: "All", fieldManager: "kubectl-platform", fieldValidation: "Strict" },
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
        query: { dryRun: "All", fieldManager: "kubectl-platform", fieldValidation: "Strict" },
        body: expect.objectContaining({ spec: { name: "Shop", description: null } }),
      }),
    ]);
  });

  const team = { "example.com/team": "web" };
  const paused = { "platform-operator.io/paused": "true" };
  /** An object with these annotations, the same labels, and one more of each that another program set. */
  const labelled = (applied: Readonly<Record<string, string>>): KubeObject => {
    const last = JSON.stringify({ metadata: { annotations: applied, labels: applied }, spec: {} });
    const { metadata, ...old } = existing({});
    const others = { other: "1" };
    return {
      ...old,
      metadata: {
        ...metadata,
        annotations: { ...applied, ...others, [LAST]: last },
        labels: { ...applied, ...others },
      },
    };
  };

  it("takes away annotations and labels that it said last, and leaves those of others", async () => {
    const old = labelled({ ...team, ...paused });
    const { asked, cluster } = answering(old as unknown as JsonObject);
    await dryApply(cluster, manifest({}, { annotations: team, labels: team }), "shop", old);
    const gone = { ...team, "platform-operator.io/paused": null };
    expect(asked[0]?.body).toMatchObject({ metadata: { name: "web", annotations: gone, labels: gone } });
    const forbidden = answering("Forbidden").cluster;
    const { metadata } = (await dryApply(forbidden, manifest({}, { labels: team }), "shop", old)) as KubeObject;
    expect(metadata.annotations).toEqual({ other: "1", [LAST]: old.metadata.annotations?.[LAST] });
    expect(metadata.labels).toEqual({ ...team, other: "1" });
  });

  it("says everything that its author wrote, for the API server to check", async () => {
    const { asked, cluster } = answering(existing({}) as unknown as JsonObject);
    const { body, ...rest } = manifest({}, { anotations: {}, uid: "1", resourceVersion: "3" });
    await dryApply(cluster, { ...rest, body: { ...body, specs: {} } }, "shop", existing({}));
    const metadata = { name: "web", namespace: "shop", anotations: {}, annotations: {} };
    expect(asked[0]?.body).toEqual({ apiVersion, kind: KIND, metadata, spec: {}, specs: {} });
  });

  it("is refused where the user may not see that it exists", async () => {
    const { cluster } = answering("AlreadyExists");
    expect(await dryApply(cluster, manifest({}), "shop", undefined)).toBe(
      "It exists already, but you may not read it.",
    );
  });

  it("keeps its annotations and labels where it is worked out here", async () => {
    const { cluster } = answering("Forbidden");
    const applied = await dryApply(cluster, manifest({}, { annotations: paused, labels: team }), "shop", undefined);
    expect(applied).toMatchObject({ metadata: { annotations: paused, labels: team } });
    const wrong = await dryApply(cluster, manifest({}, { labels: { team: 1 } }), "shop", undefined);
    expect(wrong).toBe("web.yaml: its metadata is invalid");
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
