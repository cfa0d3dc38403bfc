/** PlatformWebhook on the real API server: created, left in peace, deleted, changed by others. */
import { beforeAll, describe, expect, it, vi } from "vitest";

import type { Webhook } from "../../simulator/model/world.ts";
import { RESOLVE } from "../../src/api/names.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { eventsOf, idOf } from "../support/env/settling.ts";
import { defaults, resource } from "../support/kube/manifests.ts";

const KIND = "PlatformWebhook";
const EVENTS = ["DEPLOYMENT_STARTED", "SOME_EVENT_OF_TOMORROW"];
const target = (name: string): string => `https://user:hush@hooks.example.com/${name}?key=hush`;
const hook = (name: string, spec: JsonObject = {}): Manifest =>
  resource(KIND, name, { targetUrl: target(name), events: EVENTS, ...spec });

describe.each(effort.few(["full", "documented"] as const))("a webhook, %s surface", (surface) => {
  const env = createEnv({ surface });
  const isFull = surface === "full";
  /** The platform's webhooks with the target of a name. */
  const there = (name: string): readonly Webhook[] =>
    [...env.platform.world().webhooks.values()].filter(({ targetUrl }) => targetUrl === target(name));

  beforeAll(async () => {
    await env.apply(...defaults(env, { surface: isFull ? "Full" : "Documented", allowUnverifiedIds: true }));
    await env.waitFor("PlatformConnection", "default", { status: "True" });
  });

  it("is registered once, within three writes, and then left in peace", async () => {
    const record = await env.record();
    await env.apply(hook("first"));
    const object = await env.waitFor(KIND, "first", { status: "True", reason: "Available" });
    await env.settled();
    expect(record.changeCalls().map(({ operation, body }) => [operation, body])).toEqual([
      [
        "createWebhook",
        { target_url: target("first"), events: EVENTS, enabled: true, ...(isFull && { kind: "STANDARD" }) },
      ],
    ]);
    expect((await record.writes()).objects.length).toBeLessThanOrEqual(3);
    expect(idOf(object)).toBe(there("first")[0]?.id);
    await env.quiet(1);
    expect(JSON.stringify([object.status, env.operator.logs()])).not.toContain("hush");
    const table = await env.kubectl(["get", "pwh", "first"]);
    expect(table).toMatch(/READY +REASON +TARGET +EVENTS +DRIFTED +PAUSED +AGE/);
    expect(table).toMatch(/True +Available +https:\/\/hooks\.example\.com\/… +\["DEPLOYMENT_STARTED"/);
  });

  it.each<[string, JsonObject, RegExp]>([
    ["a target that is no URL", { targetUrl: "hooks.example.com" }, /targetUrl/],
    ["a target of another scheme", { targetUrl: "ftp://hooks.example.com/x" }, /targetUrl/],
    ["a target with blanks", { targetUrl: "https://hooks.example.com/a b" }, /targetUrl/],
    ["no events", { events: [] }, /events/],
    ["an event twice", { events: ["A", "A"] }, /[Dd]uplicate/],
    ["an event in another spelling", { events: ["deployment.started"] }, /events/],
    ["an adoption policy, as there is no list", { lifecycle: { adoptionPolicy: "Required" } }, /adoptionPolicy/],
  ])("with %s is refused by the API server", async (_name, spec, words) => {
    const text = JSON.stringify(hook("refused", spec));
    await expect(env.kubectl(["create", "--validate=strict", "-f", "-"], { input: text })).rejects.toThrow(words);
  });

  it("that may or may not have been registered is never registered twice; a person says what is so", async () => {
    const record = await env.record();
    const lost = { effect: "applied", answer: { is: "reset" } } as const;
    env.platform.sim.faults.add({ name: "lost", match: { operation: "createWebhook" }, count: 2, ...lost });
    await env.apply(hook("given"), hook("again"));
    for (const name of ["given", "again"]) {
      const told = await env.waitFor(KIND, name, { reason: "CreateResultUnknown" });
      expect(condition(told, "Ready")?.message).toMatch(/spec\.externalId.*resolve=recreate/);
    }
    await env.restart();
    await env.settled();
    expect(record.calls("createWebhook")).toHaveLength(2);
    const [mine] = there("given");
    await env.patch(KIND, "given", { spec: { externalId: mine?.id ?? "" } });
    expect(idOf(await env.waitFor(KIND, "given", { status: "True" }))).toBe(mine?.id);
    await env.annotate(KIND, "again", { [RESOLVE]: "recreate" });
    await env.waitFor(KIND, "again", { status: "True" });
    await env.settled();
    expect([there("given").length, there("again").length]).toEqual([1, 2]);
  });

  it("stays when its object goes, unless it is to be deleted and can be", async () => {
    const deletionPolicy = "Delete";
    await env.apply(hook("retained"), hook("deleted", { lifecycle: { deletionPolicy } }));
    for (const name of ["retained", "deleted"]) await env.waitFor(KIND, name, { status: "True" });
    const record = await env.record();
    for (const name of ["retained", "deleted"]) {
      await env.remove(KIND, name);
      await env.waitGone(KIND, name);
    }
    expect(record.changes()).toEqual(isFull ? ["deleteWebhook"] : []);
    expect([there("retained").length, there("deleted").length]).toEqual([1, isFull ? 0 : 1]);
    const told = await vi.waitFor(async () => {
      const events = await eventsOf(env, "deleted", isFull ? "Deleted" : "Orphaned");
      expect(events).toHaveLength(1);
      return events[0];
    });
    expect(told).toContain(isFull ? "does not have the object" : "has no deletion of webhooks");
  });
});

describe("what others do to a webhook, full surface", () => {
  const env = createEnv({ surface: "full" });
  const record = (name: string): Webhook => {
    const mine = [...env.platform.world().webhooks.values()].find(({ targetUrl }) => targetUrl.includes(name));
    if (mine === undefined) throw new Error(`the platform has no webhook to ${name}`);
    return mine;
  };

  beforeAll(async () => {
    await env.apply(...defaults(env, { surface: "Full" }));
  });

  it("is put right, or only told where that is wanted", async () => {
    await env.apply(hook("corrected"), hook("reported", { lifecycle: { driftPolicy: "Report" } }));
    for (const name of ["corrected", "reported"]) await env.waitFor(KIND, name, { status: "True" });
    for (const name of ["corrected", "reported"]) record(name).enabled = false;
    await vi.waitFor(() => expect(record("corrected").enabled).toBe(true), { timeout: 10_000 });
    const told = await env.waitFor(KIND, "reported", { type: "Drifted", status: "True" });
    expect(condition(told, "Drifted")?.message).toContain("spec.enabled is false instead of true");
    await env.settled();
    expect(record("reported").enabled).toBe(false);
  });

  it("can be watched without writing anything, by its id", async () => {
    await env.apply(hook("watched"));
    const { id } = await vi.waitFor(() => record("watched"));
    await env.waitFor(KIND, "watched", { status: "True" });
    await env.remove(KIND, "watched");
    await env.waitGone(KIND, "watched");
    const since = await env.record();
    const lifecycle = { managementPolicy: "ObserveOnly" };
    await env.apply(hook("observer", { targetUrl: target("watched"), enabled: false, externalId: id, lifecycle }));
    await env.waitFor(KIND, "observer", { type: "Drifted", status: "True" });
    await env.settled();
    expect(since.changes()).toEqual([]);
  });
});
