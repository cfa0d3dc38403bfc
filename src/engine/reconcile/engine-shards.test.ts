import { describe, expect, it } from "vitest";

import { applied, effects, engineEnv, type Env, ready } from "../../../test/support/engine/env.ts";
import { anObject } from "../../../test/support/engine/objects.ts";
import { TEAM } from "../../../test/support/kube/api-server.ts";
import { MINUTE } from "../../../test/support/platform/durations.ts";
import { EXTERNAL_ID, RESOLVE } from "../../api/names.ts";
import type { Assignment } from "../../kube/watch/assignment.ts";
import { recordedTenant } from "../contract/keys.ts";
import { recordsOf } from "../ownership/foreign.ts";

const OTHER = "other-team";
/** The process works on TEAM; another shard on the rest. */
const SHARD: Assignment = { shards: 2, isOwn: ({ namespace }) => namespace === TEAM };

/** Records an id in a resource of another shard, as that shard would. */
function recordElsewhere(env: Env, id: string, creationTimestamp: string): void {
  const { identity } = env.cluster.get("Widget", "a").status as { readonly identity: object };
  const meta = { namespace: OTHER, uid: "theirs", creationTimestamp };
  const status = { externalId: id, identity: { ...identity } };
  env.cluster.restore(anObject({ meta, spec: { name: "a" }, status }));
}

/** An environment in which a widget adopts an object. @param ms how long ago it began to */
async function adopting(ms: number) {
  const env = engineEnv({ assignment: SHARD });
  const { id } = env.world.add("theirs", { note: "old" });
  env.widget("a", { externalId: id, note: "new" });
  await env.run(ms);
  return { env, id };
}

/** An environment whose connection is one of the cluster, which another shard reports. */
async function withClusterLink(): Promise<Env> {
  const env = engineEnv({ assignment: SHARD, link: null });
  env.cluster.secret("token", { token: "token-1" }, "operator");
  env.cluster.create("ClusterLink", "default", { allowedNamespaces: [TEAM] });
  await env.run(5_000);
  return env;
}

describe("an engine of one shard", () => {
  it("reconciles no object of another shard", async () => {
    const env = engineEnv({ assignment: SHARD });
    env.widget("a");
    env.cluster.apply({ kind: "Widget", metadata: { name: "b" }, spec: { name: "b" } }, OTHER);
    await env.run(5_000);
    expect(env.passes.map(({ key }) => key)).not.toContain(`Widget/${OTHER}/b`);
    expect(effects(env)).toEqual(["create"]);
  });

  it("uses a cluster-scoped connection of another shard, and writes nothing about it", async () => {
    const env = await withClusterLink();
    env.widget("a");
    await env.run(5_000);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.cluster.writes.filter(({ key }) => key.startsWith("ClusterLink/"))).toEqual([]);
    expect(env.events.filter(({ regarding }) => regarding.kind === "ClusterLink")).toEqual([]);
  });

  it("writes to an adopted object only once every shard has seen the record", async () => {
    const { env, id } = await adopting(50_000);
    expect(ready(env)).toBe("Ready=False/AdoptionPending");
    expect(effects(env)).toEqual([]);
    await env.run(20_000);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.remotes.get(id)?.note).toBe("new");
  });

  it("waits again where the process that adopted it ended", async () => {
    const { env } = await adopting(50_000);
    env.restart();
    await env.run(50_000);
    expect(effects(env)).toEqual([]);
    await env.run(MINUTE);
    expect(effects(env)).toEqual(["update"]);
  });

  it("leaves an object to the older resource of another shard that adopted it meanwhile", async () => {
    const { env, id } = await adopting(10_000);
    recordElsewhere(env, id, "2020-01-01T00:00:00Z");
    await env.run(11 * MINUTE);
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/AlreadyManaged");
    expect(effects(env)).toEqual([]);
  });

  it("releases its limit of mass changes when a user does so on another shard's connection", async () => {
    const env = await withClusterLink();
    const connection = env.engine.connections.all()[0];
    connection?.brake.hold();
    env.cluster.patch("ClusterLink", "default", { metadata: { annotations: { [RESOLVE]: "proceed" } } }, "");
    expect(connection?.brake.held()).toBe(false);
  });
});

it("recordsOf keeps what decides who holds an object, and nothing else", async () => {
  const env = await applied({ note: "large" }, { labels: { team: "a" }, annotations: { more: "text" } });
  const object = env.cluster.get("Widget", "a");
  const kept = recordsOf(object);
  expect(recordedTenant(kept)).toEqual(recordedTenant(object));
  expect(kept.metadata.annotations).toEqual({ [EXTERNAL_ID]: object.metadata.annotations?.[EXTERNAL_ID] });
  expect(Object.keys(kept).toSorted()).toEqual(["apiVersion", "kind", "metadata", "status"]);
  expect(Object.keys(kept.status ?? {})).toEqual(["externalId", "identity"]);
});
