import { describe, expect, it } from "vitest";

import { KubeError } from "../../kube/api/errors.ts";
import { chooseConnection } from "./access.ts";
import type { ClusterClient } from "./cluster.ts";

describe("the connection to use", () => {
  it.each([
    ["does not exist", false, /^There is no connection: neither PlatformConnection "default" in namespace "shop" nor /],
    ["may not be read", true, /^You may not read ClusterPlatformConnection "default", the connection to use\. Ask /],
  ])("is named in the failure where it %s", async (_what, isHidden, words) => {
    const find: ClusterClient["find"] = async (kind) => {
      if (isHidden && kind === "ClusterPlatformConnection") throw new KubeError("Forbidden", 403, "GET /x: 403");
      return undefined;
    };
    const cluster = { namespace: "shop", find } as ClusterClient;
    await expect(chooseConnection(cluster, undefined)).rejects.toThrow(words);
  });
});
