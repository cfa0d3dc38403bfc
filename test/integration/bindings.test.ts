import { describe, expect, it } from "vitest";

import { recordedIn } from "../../src/engine/contract/status.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { calm } from "../support/env/settling.ts";
import { defaults, resource } from "../support/kube/manifests.ts";

describe.each(["documented", "full"] as const)("two PlatformBindings of one cluster, %s surface", (surface) => {
  const env = createEnv({ surface, more: ["other"] });

  const binding = (name: string, domain: string) =>
    resource("PlatformBinding", name, {
      clusterRef: { externalId: env.platform.clusterIds[0] ?? "" },
      template: { key: "kubernetes-essentials", version: "1.2.0" },
      managedConfig: { ingress: { domain: { value: domain } } },
    });

  it("in two namespaces do not overwrite each other: the younger one is refused with AlreadyManaged, until the older one is deleted", async () => {
    const other = env.at("other");
    await env.apply(...defaults(env));
    await other.apply(...defaults(env));
    await env.apply(binding("first", "first.example.com"));
    await env.waitFor("PlatformBinding", "first", (object) => recordedIn(object, "written") !== undefined);
    const record = await env.record();
    await other.apply(binding("second", "second.example.com"));
    const refused = await other.waitFor("PlatformBinding", "second", { reason: "AlreadyManaged" });
    expect(condition(refused, "Ready")?.message).toContain(
      `PlatformBinding "${env.namespace}/first" binds the cluster`,
    );
    await calm(env);
    expect(record.changes()).toEqual([]);
    await env.delete(await env.get("PlatformBinding", "first"));
    await other.waitFor("PlatformBinding", "second", (object) => recordedIn(object, "written") !== undefined);
    expect(record.changes()).toEqual(["updateClusterPlatformBinding"]);
  });
});
