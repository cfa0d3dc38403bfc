import { describe, expect, it } from "vitest";

import { stored } from "../../../test/support/kube/stored.ts";
import { applicationOf, environmentOf } from "../../../test/support/platform/status-page-objects.ts";
import { KubeError } from "../../kube/api/errors.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { ClusterClient } from "../base/cluster.ts";
import { stepsFrom } from "./trace.ts";

const application = applicationOf("web", "staging", { conditions: {} });
const environment = environmentOf("staging", "shop", { conditions: {} });
const project = stored("PlatformProject", "shop", { spec: { connectionRef: { name: "own" } } });
const shared = { connectionRef: { kind: "ClusterPlatformConnection", name: "x" } };
const remote = stored("PlatformProject", "shop", { spec: shared });
const plain = stored("PlatformProject", "shop");

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

describe("the trace of an object to its connection", () => {
  it.each<[string, KubeObject, string, string]>([
    ["that is named and does not exist", project, "", "PlatformConnection/own missing"],
    ["that is named and may not be read", remote, "ClusterPlatformConnection", "ClusterPlatformConnection/x unknown"],
    [
      "of the cluster that may not be read",
      plain,
      "ClusterPlatformConnection",
      "ClusterPlatformConnection/default unknown",
    ],
    ["of the namespace that may not be read", plain, "PlatformConnection", "PlatformConnection/default unknown"],
  ])("ends in a connection %s", async (_what, parent, hidden, last) => {
    expect((await traced([environment, parent], [hidden])).at(-1)).toBe(last);
  });

  it("ends in a parent that may not be read, without a connection", async () => {
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
