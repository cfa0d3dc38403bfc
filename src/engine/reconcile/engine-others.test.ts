/**
 * Two processes that both think for some seconds that they lead: one does not see what the other has recorded
 * (docs/architecture.md §6).
 */
import { describe, expect, it } from "vitest";

import { engineEnv } from "../../../test/support/engine/env.ts";
import { applied, DELETE, MINUTE, ready, remote, status } from "../../../test/support/engine/widgets.ts";
import type { Write } from "../../../test/support/kube/api-server.ts";
import { INTENT } from "../../api/names.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { isObject, member } from "../../kube/api/json.ts";
import type { JsonObject, KubeObject, ObjectKey } from "../../kube/api/types.ts";

const ordersDeployment = ({ what, body }: Write): boolean =>
  what === "status" && isObject(member(body, "intent")) && member(member(body, "intent"), "op") === "deploy";

describe("a request that another process sent after this one had closed its own", () => {
  it.each(["executed", "under way"] as const)("(%s) is found or waited for, and is not sent again", async (stand) => {
    const env = engineEnv();
    env.cluster.secret("values", { a: "one" });
    const spec = { name: "a", secret: { name: "values", key: "a" } };
    env.widget("a", { ...spec, commit: "c1" });
    await env.run(10_000);
    const { id } = remote(env);
    const deploy = (): void => void env.world.effect("deploy", id, { commit: "c2" });
    // This process has imported and remembers that. The other one has imported as well, and sends its request first.
    let came = false;
    env.cluster.hooks.before = async (write) => {
      if (came || !ordersDeployment(write)) return;
      came = true;
      const { body } = write;
      const stored = env.cluster.get("Widget", "a").status as JsonObject;
      const intent = { ...(member(body, "intent") as JsonObject), attempt: "2-other" };
      env.cluster.status("Widget", "a", { ...stored, ...withoutNulls(body), intent });
      if (stand === "executed") deploy();
      else env.clock.after(20_000, deploy);
      await Promise.resolve();
    };
    env.cluster.secret("values", { a: "two" });
    env.cluster.spec("Widget", "a", { ...spec, commit: "c2" });
    await env.run(5 * MINUTE);
    expect(came).toBe(true);
    expect(env.world.remotes.get(id)).toMatchObject({ commit: "c2", deploys: 2 });
    expect(ready(env)).toBe("Ready=True/Available");
    expect(status(env, "intent")).toBeUndefined();
  });
});

describe("an intent that may or may not be stored", () => {
  it.each(["Full", "Documented"] as const)("was not sent, however many there are, on %s", async (surface) => {
    const env = engineEnv();
    env.world.surface = surface;
    await env.run(1_000);
    // The write is stored without an answer, and the cache does not show it before the next one is refused.
    const { cache } = env.cluster;
    const get = cache.get.bind(cache);
    let behind: KubeObject | undefined;
    let intents = 0;
    Object.assign(cache, { get: (key: ObjectKey) => (key.name === "a" ? behind : undefined) ?? get(key) });
    env.cluster.hooks.before = async ({ what, body }) => {
      if (what === "checked" && INTENT in body) intents += 1;
      behind = intents === 1 ? (behind ?? env.cluster.get("Widget", "a")) : undefined;
      await Promise.resolve();
    };
    env.cluster.hooks.after = async () => {
      if (intents === 1) await Promise.reject(new KubeError("Unreachable", 0, "reset"));
    };
    env.widget("a");
    await env.run(10_000);
    expect(intents).toBeGreaterThan(2);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.count("create")).toBe(1);
  });
});

describe("a record that is refused for good", () => {
  it("is stored as soon as it can be, and the create is neither traced nor sent again", async () => {
    const env = engineEnv();
    env.world.surface = "Documented";
    await env.run(1_000);
    let isRefused = true;
    env.cluster.hooks.before = async ({ what }) => {
      if (what === "outcome" && isRefused) await Promise.reject(new KubeError("Invalid", 422, "annotations: too long"));
    };
    env.widget("a", { note: "n" });
    await env.run(MINUTE);
    expect(env.world.count("create")).toBe(1);
    expect(status(env, "externalId")).toBeUndefined();
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/InvalidSpec");
    isRefused = false;
    await env.run(MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.count("create")).toBe(1);
  });

  it("blocks nothing where the status has the id: a deletion ends", async () => {
    const env = await applied(DELETE);
    const { annotations = {} } = env.cluster.get("Widget", "a").metadata;
    env.cluster.hooks.before = async ({ what, body }) => {
      if (what !== "status" && Object.keys(body).some((key) => key in annotations)) {
        await Promise.reject(new KubeError("Invalid", 422, "annotations: too long"));
      }
    };
    env.cluster.annotate("Widget", "a", Object.fromEntries(Object.keys(annotations).map((key) => [key, null])));
    await env.run(MINUTE);
    env.cluster.remove("Widget", "a");
    await env.run(MINUTE);
    expect(env.cluster.find("Widget", "a")).toBeUndefined();
    expect(env.world.remotes.size).toBe(0);
  });
});

describe("a process that does not lead", () => {
  it("changes nothing on the platform, and continues when it leads", async () => {
    const env = engineEnv();
    env.leader = false;
    env.widget("a", { note: "n" });
    await env.run(MINUTE);
    expect(env.world.effects).toEqual([]);
    expect(env.cluster.writes.filter(({ what, key }) => what === "checked" && key.startsWith("Widget"))).toEqual([]);
    env.leader = true;
    await env.run(31_000);
    expect(ready(env)).toBe("Ready=True/Available");
  });

  it("loses the lease while the API server confirms the object: a repeatable write is not sent", async () => {
    const env = await applied({ note: "one" });
    const { client } = env.cluster;
    const request = client.request.bind(client);
    client.request = async (one) => {
      const answer = await request(one);
      if (one.method === "GET" && one.path.includes("widgets")) env.leader = false;
      return answer;
    };
    env.cluster.spec("Widget", "a", { name: "a", note: "two" });
    await env.run(1_000);
    expect(env.leader).toBe(false);
    expect(env.world.calls.filter(({ op }) => op === "update")).toEqual([]);
    client.request = request;
    env.leader = true;
    await env.run(31_000);
    expect(env.world.count("update")).toBe(1);
  });
});

function withoutNulls(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
