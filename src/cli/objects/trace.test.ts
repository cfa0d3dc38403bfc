import { describe, expect, it } from "vitest";

import { API_VERSION } from "../../api/names.ts";
import { KubeError } from "../../kube/api/errors.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { ClusterClient } from "../base/cluster.ts";
import { stepsFrom } from "./trace.ts";

function object(kind: string, name: string, spec: JsonObject = {}): KubeObject {
  const metadata = { name, namespace: "shop", uid: name, resourceVersion: "1", generation: 1 };
  return { apiVersion: API_VERSION, kind, metadata, spec };
}

const application = object("PlatformApplication", "web", {
  name: "web",
  environmentRef: { name: "staging" },
  gitRepository: { url: "https://github.com/acme/web.git" },
});
const environment = object("PlatformEnvironment", "staging", {
  name: "staging",
  projectRef: { name: "shop" },
  clusterRef: { externalId: "0a1b2c3d-0000-4000-8000-000000000001" },
});
const project = object("PlatformProject", "shop", { connectionRef: { name: "own" } });

/** A cluster with these objects, in which some kinds may not be read; it records what is read. */
function having(objects: readonly KubeObject[], hidden: readonly string[] = []) {
  const asked: string[] = [];
  const find: ClusterClient["find"] = async (kind, name) => {
    asked.push(`${kind}/${name}`);
    if (hidden.includes(kind)) throw new KubeError("Forbidden", 403, `GET ${kind}: 403`);
    return objects.find((one) => one.kind === kind && one.metadata.name === name);
  };
  return { cluster: { namespace: "shop", find } as ClusterClient, asked };
}

async function traced(objects: readonly KubeObject[], hidden?: readonly string[]) {
  const steps = await stepsFrom(having(objects, hidden).cluster, application);
  return steps.map(({ kind, name, status }) => `${kind}/${name} ${status}`);
}

describe("a trace", () => {
  it.each<[string, readonly KubeObject[], readonly string[], string]>([
    ["that is named and missing", [environment, project], [], "PlatformConnection/own missing"],
    [
      "that is named and may not be read",
      [
        environment,
        object("PlatformProject", "shop", { connectionRef: { kind: "ClusterPlatformConnection", name: "x" } }),
      ],
      ["ClusterPlatformConnection"],
      "ClusterPlatformConnection/x unknown",
    ],
    [
      "of the cluster that may not be read",
      [environment, object("PlatformProject", "shop")],
      ["ClusterPlatformConnection"],
      "ClusterPlatformConnection/default unknown",
    ],
    [
      "of the namespace that may not be read",
      [environment, object("PlatformProject", "shop")],
      ["PlatformConnection"],
      "PlatformConnection/default unknown",
    ],
  ])("ends in a connection %s", async (_what, objects, hidden, last) => {
    expect((await traced(objects, hidden)).at(-1)).toBe(last);
  });

  it("shows a parent that may not be read, and claims no connection", async () => {
    expect(await traced([environment], ["PlatformProject"])).toEqual([
      "PlatformApplication/web new",
      "PlatformEnvironment/staging new",
      "PlatformProject/shop unknown",
    ]);
  });

  it("reads each object once", async () => {
    const { cluster, asked } = having([environment, project]);
    await stepsFrom(cluster, application);
    expect(asked).toEqual(["PlatformEnvironment/staging", "PlatformProject/shop", "PlatformConnection/own"]);
  });
});
