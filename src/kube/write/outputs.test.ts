import { describe, expect, it } from "vitest";

import { scriptedClient } from "../../../test/support/kube/scripted-client.ts";
import { thing } from "../../../test/support/kube/things.ts";
import { KubeError } from "../api/errors.ts";
import type { KubeRequest } from "../api/transport.ts";
import type { Json, JsonObject } from "../api/types.ts";
import { createOutputs } from "./outputs.ts";

const PATH = "/api/v1/namespaces/default/configmaps";
const owner = thing("a", "5");
const owned = (more: JsonObject): Json => ({
  metadata: { name: "out", resourceVersion: "9", ownerReferences: [{ uid: "uid-a" }] },
  ...more,
});

function writing(answer: (request: KubeRequest) => Json) {
  const client = scriptedClient(answer);
  return {
    client,
    outputs: createOutputs(client),
    writes: () => client.calls.filter(({ method }) => method !== "GET"),
  };
}

describe("an output ConfigMap", () => {
  it("is created with its owner", async () => {
    const { outputs, writes } = writing(({ method }) => {
      if (method === "GET") throw new KubeError("NotFound", 404, "no");
      return {};
    });
    await outputs.configMap(owner, "out", { url: "x" });
    expect(writes()).toMatchObject([
      {
        method: "POST",
        path: PATH,
        query: { fieldManager: "platform-operator" },
        body: {
          metadata: {
            name: "out",
            namespace: "default",
            ownerReferences: [
              { apiVersion: "test.platform-operator.io/v1", kind: "Thing", name: "a", uid: "uid-a", controller: true },
            ],
          },
          data: { url: "x" },
        },
      },
    ]);
  });

  it("is patched to hold exactly the data, checked against its version", async () => {
    const { outputs, writes } = writing(() => owned({ data: { url: "old", stray: "1" }, binaryData: { b: "AA==" } }));
    await outputs.configMap(owner, "out", { url: "new" });
    expect(writes()).toMatchObject([
      {
        method: "PATCH",
        path: `${PATH}/out`,
        body: { metadata: { resourceVersion: "9" }, binaryData: null, data: { url: "new", stray: null } },
      },
    ]);
  });

  it.each<[string, JsonObject, Record<string, string>]>([
    ["the same data", { data: { url: "x" } }, { url: "x" }],
    ["none, as wanted", {}, {}],
  ])("that holds %s is left alone", async (_, held, data) => {
    const { outputs, writes } = writing(() => owned(held));
    await outputs.configMap(owner, "out", data);
    expect(writes()).toEqual([]);
  });

  it("of somebody else is refused, and so is one that appears meanwhile", async () => {
    const foreign = writing(() => ({ metadata: { resourceVersion: "9", ownerReferences: [{ uid: "other" }] } }));
    await expect(foreign.outputs.configMap(owner, "out", {})).rejects.toMatchObject({ failure: "Conflict" });
    expect(foreign.writes()).toEqual([]);

    const raced = writing(({ method }) => {
      if (method === "GET") throw new KubeError("NotFound", 404, "no");
      throw new KubeError("AlreadyExists", 409, "exists");
    });
    await expect(raced.outputs.configMap(owner, "out", {})).rejects.toMatchObject({ failure: "Conflict" });
  });
});

describe("an output Secret", () => {
  const SECRETS = "/api/v1/namespaces/default/secrets";

  it("is created with its owner, in base64", async () => {
    const { outputs, writes } = writing(({ method }) => {
      if (method === "GET") throw new KubeError("NotFound", 404, "no");
      return {};
    });
    await outputs.secret(owner, "out", { token: "é" });
    expect(writes()).toMatchObject([
      {
        method: "POST",
        path: SECRETS,
        body: {
          kind: "Secret",
          metadata: { name: "out", ownerReferences: [{ uid: "uid-a" }] },
          data: { token: "w6k=" },
        },
      },
    ]);
  });

  it("is patched where it differs, loses what is not wanted any more, and is left alone otherwise", async () => {
    const { outputs, writes } = writing(() => owned({ data: { token: "w6k=", stray: "MQ==" } }));
    await outputs.secret(owner, "out", { token: "é" });
    await outputs.secret(owner, "out", { token: "é", stray: "1" });
    expect(writes()).toMatchObject([
      { method: "PATCH", path: `${SECRETS}/out`, body: { metadata: { resourceVersion: "9" }, data: { stray: null } } },
    ]);
  });

  it("of somebody else is refused", async () => {
    const { outputs, writes } = writing(() => ({ metadata: { resourceVersion: "9" }, data: { token: "eA==" } }));
    await expect(outputs.secret(owner, "out", { token: "x" })).rejects.toMatchObject({ failure: "Conflict" });
    expect(writes()).toEqual([]);
  });
});
