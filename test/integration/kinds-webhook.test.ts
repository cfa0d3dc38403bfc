/** PlatformWebhook on the real API server. Adoption, drift and deletion: test/model/kinds-contract.test.ts. */
import { describe, expect, it } from "vitest";

import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import { defaults, resource } from "../support/kube/manifests.ts";

const KIND = "PlatformWebhook";
const EVENTS = ["DEPLOYMENT_STARTED", "SOME_EVENT_OF_TOMORROW"];
const TARGET = "https://user:hush@hooks.example.com/first?key=hush";

describe.each(effort.few(["full", "documented"] as const))("a webhook, %s surface", (surface) => {
  const env = createEnv({ surface });
  const isFull = surface === "full";

  it("is registered once, within three writes, and then left in peace", async () => {
    await env.ready(...defaults(env, { surface: isFull ? "Full" : "Documented", allowUnverifiedIds: true }));
    const record = await env.record();
    await env.apply(resource(KIND, "first", { targetUrl: TARGET, events: EVENTS }));
    const object = await env.waitFor(KIND, "first", { status: "True", reason: "Available" });
    await env.settled();
    expect(record.changeCalls().map(({ operation, body }) => [operation, body])).toEqual([
      ["createWebhook", { target_url: TARGET, events: EVENTS, enabled: true, ...(isFull && { kind: "STANDARD" }) }],
    ]);
    expect((await record.writes()).objects.length).toBeLessThanOrEqual(3);
    const there = [...env.platform.world().webhooks.values()].find(({ targetUrl }) => targetUrl === TARGET);
    expect(idOf(object)).toBe(there?.id);
    await env.quiet(1);
    expect(JSON.stringify([object.status, env.operator.logs()])).not.toContain("hush");
    const table = await env.kubectl(["get", "pwh", "first"]);
    expect(table).toMatch(/READY +REASON +TARGET +EVENTS +DRIFTED +PAUSED +AGE/);
    expect(table).toMatch(/True +Available +https:\/\/hooks\.example\.com\/… +\["DEPLOYMENT_STARTED"/);
  });
});
