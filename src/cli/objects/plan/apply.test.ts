import { describe, expect, it } from "vitest";

import { stored } from "../../../../test/support/kube/stored.ts";
import { API_VERSION } from "../../../api/names.ts";
import { KubeError } from "../../../kube/api/errors.ts";
import type { KubeRequest } from "../../../kube/api/transport.ts";
import type { Json, JsonObject, KubeFailure, KubeObject } from "../../../kube/api/types.ts";
import type { ClusterClient } from "../../base/cluster.ts";
import { dryApply } from "./apply.ts";
import type { Manifest } from "./manifests.ts";

const KIND = "PlatformProject";
const LAST = "kubectl.kubernetes.io/last-applied-configuration";
const WRITE = { dryRun: "All", fieldManager: "kubectl-platform", fieldValidation: "Strict" };

function manifest(spec: JsonObject, metadata: JsonObject = {}): Manifest {
  const body = { apiVersion: API_VERSION, kind: KIND, metadata: { name: "web", ...metadata }, spec };
  return { apiVersion: API_VERSION, kind: KIND, name: "web", namespace: undefined, body };
}

function existing(spec: JsonObject, applied: JsonObject = {}, metadata: Partial<KubeObject["metadata"]> = {}) {
  const annotations = { ...metadata.annotations, [LAST]: JSON.stringify(applied) };
  const status = { externalId: "0a1b" };
  return stored(KIND, "web", { metadata: { generation: 3, ...metadata, annotations }, spec, status });
}

/** Applies a manifest in a cluster that gives every request the same answer. */
async function apply(answer: KubeObject | JsonObject | KubeFailure, one: Manifest, old?: KubeObject) {
  const asked: KubeRequest[] = [];
  const request = async (given: KubeRequest): Promise<Json> => {
    asked.push(given);
    if (typeof answer === "string") throw new KubeError(answer, 0, `${given.method} ${given.path}: refused`);
    return answer as JsonObject;
  };
  const applied = await dryApply({ client: { request } } as unknown as ClusterClient, one, "shop", old);
  return { applied, asked };
}

describe("the dry run of a manifest", () => {
  const team = { "example.com/team": "web" };
  const paused = { "platform-operator.io/paused": "true" };

  it("creates the object without storing it", async () => {
    const answer = { metadata: { name: "web", namespace: "shop", uid: "new" }, spec: { name: "Web" } };
    const { asked, applied } = await apply(answer, manifest({ name: "Web" }));
    expect(applied).toMatchObject({ kind: KIND, metadata: { uid: "new" } });
    const path = `/apis/${API_VERSION}/namespaces/shop/platformprojects`;
    expect(asked).toMatchObject([{ method: "POST", path, query: WRITE }]);
  });

  it("removes a field that the manifest had before, and keeps fields of other authors", async () => {
    const spec = { name: "Web", description: "Old." };
    const old = existing({ ...spec, lifecycle: { deletionPolicy: "Delete" } }, { spec });
    const { asked } = await apply(old, manifest({ name: "Shop" }), old);
    expect(asked).toMatchObject([{ method: "PATCH", query: WRITE }]);
    expect(asked[0]?.body).toMatchObject({ spec: { name: "Shop", description: null } });
    expect(asked[0]?.body).not.toHaveProperty("spec.lifecycle");
  });

  it("removes annotations and labels that the manifest had before, and keeps those of other authors", async () => {
    const before = { ...team, ...paused };
    const all = { ...before, other: "1" };
    const last = { metadata: { annotations: before, labels: before }, spec: {} };
    const old = existing({}, last, { annotations: all, labels: all });
    const { asked } = await apply(old, manifest({}, { annotations: team, labels: team }), old);
    const gone = { ...team, "platform-operator.io/paused": null };
    expect(asked[0]?.body).toMatchObject({ metadata: { name: "web", annotations: gone, labels: gone } });
    const { applied } = await apply("Forbidden", manifest({}, { labels: team }), old);
    const { metadata } = applied as KubeObject;
    expect(metadata.annotations).toEqual({ other: "1", [LAST]: JSON.stringify(last) });
    expect(metadata.labels).toEqual({ ...team, other: "1" });
  });

  it("sends everything that the manifest contains, for the API server to validate", async () => {
    const { body, ...rest } = manifest({}, { anotations: {}, uid: "1", resourceVersion: "3" });
    const { asked } = await apply(existing({}), { ...rest, body: { ...body, specs: {} } }, existing({}));
    const metadata = { name: "web", namespace: "shop", anotations: {}, annotations: {} };
    expect(asked[0]?.body).toEqual({ apiVersion: API_VERSION, kind: KIND, metadata, spec: {}, specs: {} });
  });

  it.each<[string, KubeFailure, JsonObject, RegExp]>([
    ["it exists and the user may not read it", "AlreadyExists", {}, /^It exists already, but you may not read it\.$/],
    ["the API server rejects it", "Invalid", {}, /^The API server rejects it: POST \S+\/platformprojects: refused/],
    ["its metadata is invalid", "Forbidden", { labels: { team: 1 } }, /^Its metadata is invalid\.$/],
  ])("fails where %s", async (_what, failure, metadata, words) => {
    expect((await apply(failure, manifest({}, metadata))).applied).toMatch(words);
  });

  it.each<[KubeFailure]>([["Forbidden"], ["NotFound"]])("is computed locally after %s", async (failure) => {
    const created = await apply(failure, manifest({ name: "Web" }, { annotations: paused, labels: team }));
    expect(created.applied).toMatchObject({
      metadata: { namespace: "shop", generation: 1, annotations: paused, labels: team },
      spec: { name: "Web" },
      status: { observedGeneration: -1 },
    });
    const lifecycle = { deletionPolicy: "Delete" };
    const old = existing({ name: "Web", description: "Old.", lifecycle }, { spec: { description: "Old." } });
    const { applied } = await apply(failure, manifest({ name: "Shop" }), old);
    const { metadata, spec, status } = applied as KubeObject;
    expect(metadata).toMatchObject({ uid: "web", generation: 4 });
    expect({ spec, status }).toEqual({ spec: { name: "Shop", lifecycle }, status: { externalId: "0a1b" } });
  });

  it("ends the command when the API server cannot be reached", async () => {
    await expect(apply("Unreachable", manifest({}))).rejects.toThrow(KubeError);
  });
});
