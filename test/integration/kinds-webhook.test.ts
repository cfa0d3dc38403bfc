/** PlatformWebhook on the real API server: created, left in peace, deleted, changed by others. */
import { beforeAll, describe, expect, it } from "vitest";

import type { Webhook } from "../../simulator/model/world.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
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
    await env.ready(...defaults(env, { surface: isFull ? "Full" : "Documented", allowUnverifiedIds: true }));
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
});
