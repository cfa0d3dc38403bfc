import { describe, expect, it } from "vitest";

import { scriptedClient } from "../../../test/support/kube/scripted-client.ts";
import { thing } from "../../../test/support/kube/things.ts";
import { KubeError } from "../api/errors.ts";
import type { KubeRequest } from "../api/transport.ts";
import type { Json, JsonObject } from "../api/types.ts";
import { createOutputs } from "./outputs.ts";

const owner = thing("a", "5");
const MANAGED_BY = { "app.kubernetes.io/managed-by": "platform-operator" };
const metadata = { name: "out", resourceVersion: "9", ownerReferences: [{ uid: "uid-a" }], labels: MANAGED_BY };
const stored = { metadata };
const owned = (more: JsonObject): Json => ({ ...stored, ...more });

/** @param answer answers reads; each write is answered with the version 10 */
function writing(answer: (request: KubeRequest) => Json) {
  const client = scriptedClient((request) =>
    request.method === "PATCH" ? { metadata: { resourceVersion: "10" } } : answer(request),
  );
  return { outputs: createOutputs(client), writes: () => client.calls.filter(({ method }) => method !== "GET") };
}

/** An API server without outputs. @param answer answers their creation */
const creating = (answer: () => Json) =>
  writing(({ method }) => {
    if (method === "GET") throw new KubeError("NotFound", 404, "no");
    return answer();
  });

describe.each([
  { kind: "ConfigMap", output: "configMap", paths: "/api/v1/namespaces/default/configmaps", stored: "é" },
  { kind: "Secret", output: "secret", paths: "/api/v1/namespaces/default/secrets", stored: "w6k=" },
] as const)("an output $kind", ({ kind, output, paths, stored }) => {
  it("is created with its owner", async () => {
    const { outputs, writes } = creating(() => ({ metadata: { resourceVersion: "10" } }));
    await outputs[output](owner, { name: "out", data: { url: "é" } });
    const reference = { apiVersion: "test.platform-operator.io/v1", kind: "Thing", name: "a", uid: "uid-a" };
    const metadata = { name: "out", namespace: "default", ownerReferences: [{ ...reference, controller: true }] };
    const [query, body] = [{ fieldManager: "platform-operator" }, { kind, metadata, data: { url: stored } }];
    expect(writes()).toMatchObject([{ method: "POST", path: paths, query, body }]);
  });

  it("is patched to contain exactly the data, checked against its version", async () => {
    const { outputs, writes } = writing(() => owned({ data: { url: "b2xk", stray: "MQ==" } }));
    await outputs[output](owner, { name: "out", data: { url: "é" } });
    const body = { metadata: { resourceVersion: "9" }, data: { url: stored, stray: null } };
    expect(writes()).toMatchObject([{ method: "PATCH", path: `${paths}/out`, body }]);
  });

  it.each<[string, JsonObject, Record<string, string>]>([
    ["the same data", { data: { url: stored } }, { url: "é" }],
    ["none, as wanted", {}, {}],
  ])("that contains %s is not written", async (_, held, data) => {
    const { outputs, writes } = writing(() => owned(held));
    await outputs[output](owner, { name: "out", data });
    expect(writes()).toEqual([]);
  });

  it.each([{}, { ownerReferences: [{ uid: "other" }] }])("of another owner is refused: %j", async (metadata) => {
    const { outputs, writes } = writing(() => ({ metadata: { resourceVersion: "9", ...metadata } }));
    await expect(outputs[output](owner, { name: "out", data: {} })).rejects.toMatchObject({ failure: "Conflict" });
    expect(writes()).toEqual([]);
  });

  it("has the labels and annotations of the user, and loses those that left the spec, but none of others", async () => {
    const fields = { "f:metadata": { "f:labels": { ".": {}, "f:team": {} }, "f:annotations": { "f:note": {} } } };
    const managedFields = [
      { manager: "platform-operator", fieldsV1: fields },
      { manager: "kubectl", fieldsV1: { "f:metadata": { "f:labels": { "f:theirs": {} } } } },
    ];
    const labels = { ...MANAGED_BY, team: "old", theirs: "x", tier: "edited" };
    const { outputs, writes } = writing(() => ({
      metadata: { ...metadata, labels, annotations: { note: "1" }, managedFields },
    }));
    const wanted = { labels: { tier: "web" }, annotations: { "reflector/allowed": "true" } };
    const version = await outputs[output](owner, { name: "out", data: {}, metadata: wanted });
    const sent = { labels: { team: null, tier: "web" }, annotations: { note: null, "reflector/allowed": "true" } };
    expect(writes().map(({ body }) => body)).toEqual([{ metadata: { resourceVersion: "9", ...sent } }]);
    expect(version).toBe("10");
  });

  it("that somebody creates at the same time is refused", async () => {
    const { outputs } = creating(() => {
      throw new KubeError("AlreadyExists", 409, "exists");
    });
    await expect(outputs[output](owner, { name: "out", data: {} })).rejects.toMatchObject({ failure: "Conflict" });
  });
});

it("an output ConfigMap keeps the keys that it is told to", async () => {
  const { outputs, writes } = writing(() => owned({ data: { a: "1", b: "2", c: "3" } }));
  await outputs.configMap(owner, { name: "out", data: { b: "4" }, keeps: ["a", "d"] });
  expect(writes()[0]?.body).toMatchObject({ data: { b: "4", c: null } });
  expect(writes()[0]?.body).not.toHaveProperty("data.a");
});

it("an output ConfigMap loses its binary data", async () => {
  const { outputs, writes } = writing(() => owned({ data: { url: "x" }, binaryData: { b: "AA==" } }));
  await outputs.configMap(owner, { name: "out", data: { url: "x" } });
  expect(writes()).toMatchObject([{ method: "PATCH", body: { binaryData: null } }]);
});

describe("a written Secret", () => {
  const isAsWritten = (answer: () => Json) =>
    createOutputs(scriptedClient(answer)).isAsWritten(owner, { name: "out", resourceVersion: "9" });
  const refusing = (failure: "NotFound" | "Forbidden") => () => {
    throw new KubeError(failure, 0, "no");
  };

  it.each<[string, () => Json, boolean]>([
    ["of the same version is as it was written", () => stored, true],
    ["of another version is not", () => ({ metadata: { resourceVersion: "10" } }), false],
    ["that was deleted is not", refusing("NotFound"), false],
    ["that may not be read is not, so that the write shows why", refusing("Forbidden"), false],
  ])("%s", async (_, answer, expected) => {
    expect(await isAsWritten(answer)).toBe(expected);
  });

  it("is compared without its values", async () => {
    const client = scriptedClient(() => stored);
    await createOutputs(client).isAsWritten(owner, { name: "out", resourceVersion: "9" });
    expect(client.calls).toMatchObject([{ metadataOnly: true }]);
  });
});
