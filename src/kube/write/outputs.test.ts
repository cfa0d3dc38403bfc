import { describe, expect, it } from "vitest";

import { scriptedClient } from "../../../test/support/kube/scripted-client.ts";
import { thing } from "../../../test/support/kube/things.ts";
import { KubeError } from "../api/errors.ts";
import type { KubeRequest } from "../api/transport.ts";
import type { Json, JsonObject } from "../api/types.ts";
import { createOutputs } from "./outputs.ts";

const owner = thing("a", "5");
const stored = { metadata: { name: "out", resourceVersion: "9", ownerReferences: [{ uid: "uid-a" }] } };
const owned = (more: JsonObject): Json => ({ ...stored, ...more });

function writing(answer: (request: KubeRequest) => Json) {
  const client = scriptedClient(answer);
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
    const { outputs, writes } = creating(() => ({}));
    await outputs[output](owner, "out", { url: "é" });
    const reference = { apiVersion: "test.platform-operator.io/v1", kind: "Thing", name: "a", uid: "uid-a" };
    const metadata = { name: "out", namespace: "default", ownerReferences: [{ ...reference, controller: true }] };
    const [query, body] = [{ fieldManager: "platform-operator" }, { kind, metadata, data: { url: stored } }];
    expect(writes()).toMatchObject([{ method: "POST", path: paths, query, body }]);
  });

  it("is patched to contain exactly the data, checked against its version", async () => {
    const { outputs, writes } = writing(() => owned({ data: { url: "b2xk", stray: "MQ==" } }));
    await outputs[output](owner, "out", { url: "é" });
    const body = { metadata: { resourceVersion: "9" }, data: { url: stored, stray: null } };
    expect(writes()).toMatchObject([{ method: "PATCH", path: `${paths}/out`, body }]);
  });

  it.each<[string, JsonObject, Record<string, string>]>([
    ["the same data", { data: { url: stored } }, { url: "é" }],
    ["none, as wanted", {}, {}],
  ])("that contains %s is not written", async (_, held, data) => {
    const { outputs, writes } = writing(() => owned(held));
    await outputs[output](owner, "out", data);
    expect(writes()).toEqual([]);
  });

  it.each([{}, { ownerReferences: [{ uid: "other" }] }])("of another owner is refused: %j", async (metadata) => {
    const { outputs, writes } = writing(() => ({ metadata: { resourceVersion: "9", ...metadata } }));
    await expect(outputs[output](owner, "out", {})).rejects.toMatchObject({ failure: "Conflict" });
    expect(writes()).toEqual([]);
  });

  it("that somebody creates at the same time is refused", async () => {
    const { outputs } = creating(() => {
      throw new KubeError("AlreadyExists", 409, "exists");
    });
    await expect(outputs[output](owner, "out", {})).rejects.toMatchObject({ failure: "Conflict" });
  });
});

it("an output ConfigMap loses its binary data", async () => {
  const { outputs, writes } = writing(() => owned({ data: { url: "x" }, binaryData: { b: "AA==" } }));
  await outputs.configMap(owner, "out", { url: "x" });
  expect(writes()).toMatchObject([{ method: "PATCH", body: { binaryData: null } }]);
});
