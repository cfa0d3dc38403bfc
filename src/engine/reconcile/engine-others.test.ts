/** Two processes that both think that they lead for seconds: what the other one has recorded is gone by (docs/architecture.md §6). */
import { describe, expect, it } from "vitest";

import type { Write } from "../../../test/support/engine/cluster.ts";
import { engineBench } from "../../../test/support/engine/env.ts";
import { INTENT } from "../../api/names.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { isObject, member } from "../../kube/api/json.ts";
import type { JsonObject, KubeObject, ObjectKey } from "../../kube/api/types.ts";

const MINUTE = 60_000;

const ordersDeployment = ({ what, body }: Write): boolean =>
  what === "status" && isObject(member(body, "intent")) && member(member(body, "intent"), "op") === "deploy";

describe("an order that another process gave after this one had closed its own", () => {
  it.each<["executed" | "under way", string]>([
    ["executed", "is taken for what it is"],
    ["under way", "is waited for"],
  ])("(%s) %s, and not given again", async (stand) => {
    const bench = engineBench();
    bench.cluster.secret("values", { a: "one" });
    const spec = { name: "a", secret: { name: "values", key: "a" } };
    bench.widget("a", { ...spec, commit: "c1" });
    await bench.run(10_000);
    const [remote] = bench.world.remotes.values();
    const id = remote?.id ?? "";
    const deploy = (): void => void bench.world.effect("deploy", id, { commit: "c2" });
    // This one has imported, and remembers it; then the other one, which has imported too, is first with its order.
    let came = false;
    bench.cluster.hooks.before = async (write) => {
      if (came || !ordersDeployment(write)) return;
      came = true;
      const { body } = write;
      const { status = {} } = bench.cluster.get("Widget", "a");
      const intent = { ...(member(body, "intent") as JsonObject), attempt: "2-other" };
      bench.cluster.status("Widget", "a", { ...(status as JsonObject), ...withoutNulls(body), intent });
      if (stand === "executed") deploy();
      else bench.clock.after(20_000, deploy);
      await Promise.resolve();
    };
    bench.cluster.secret("values", { a: "two" });
    bench.cluster.spec("Widget", "a", { ...spec, commit: "c2" });
    await bench.run(5 * MINUTE);
    expect(came).toBe(true);
    expect(bench.world.remotes.get(id)).toMatchObject({ commit: "c2", deploys: 2 });
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(bench.cluster.get("Widget", "a").status).not.toHaveProperty("intent");
  });
});

describe("an intent of which nobody knows whether it was stored", () => {
  it.each(["Full", "Documented"] as const)("was not sent, however many there are, on %s", async (surface) => {
    const bench = engineBench();
    bench.world.surface = surface;
    await bench.run(1_000);
    // It is stored without an answer, and the cache does not have it before the next one was refused.
    const { cache } = bench.cluster;
    const get = cache.get.bind(cache);
    let behind: KubeObject | undefined;
    let intents = 0;
    Object.assign(cache, { get: (key: ObjectKey) => (key.name === "a" ? behind : undefined) ?? get(key) });
    bench.cluster.hooks.before = async ({ what, body }) => {
      if (what === "checked" && INTENT in body) intents += 1;
      behind = intents === 1 ? (behind ?? bench.cluster.get("Widget", "a")) : undefined;
      await Promise.resolve();
    };
    bench.cluster.hooks.after = async () => {
      if (intents === 1) await Promise.reject(new KubeError("Unreachable", 0, "reset"));
    };
    bench.widget("a");
    await bench.run(10_000);
    expect(intents).toBeGreaterThan(2);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(bench.world.count("create")).toBe(1);
  });
});

describe("a record that is refused for good", () => {
  it("is stored as soon as it can be, and the create is neither traced nor sent again", async () => {
    const bench = engineBench();
    bench.world.surface = "Documented";
    await bench.run(1_000);
    let isRefused = true;
    bench.cluster.hooks.before = async ({ what }) => {
      if (what === "outcome" && isRefused) await Promise.reject(new KubeError("Invalid", 422, "annotations: too long"));
    };
    bench.widget("a", { note: "n" });
    await bench.run(MINUTE);
    expect(bench.world.count("create")).toBe(1);
    expect(bench.cluster.get("Widget", "a").status).not.toHaveProperty("externalId");
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/InvalidSpec");
    isRefused = false;
    await bench.run(MINUTE);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(bench.world.count("create")).toBe(1);
  });

  it("holds up nothing where the status has it: a deletion ends", async () => {
    const bench = engineBench();
    bench.widget("a", { lifecycle: { deletionPolicy: "Delete" } });
    await bench.run(10_000);
    const { annotations = {} } = bench.cluster.get("Widget", "a").metadata;
    bench.cluster.hooks.before = async ({ what, body }) => {
      if (what !== "status" && Object.keys(body).some((key) => key in annotations)) {
        await Promise.reject(new KubeError("Invalid", 422, "annotations: too long"));
      }
    };
    bench.cluster.annotate("Widget", "a", Object.fromEntries(Object.keys(annotations).map((key) => [key, null])));
    await bench.run(MINUTE);
    bench.cluster.remove("Widget", "a");
    await bench.run(MINUTE);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
    expect(bench.world.remotes.size).toBe(0);
  });
});

function withoutNulls(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
