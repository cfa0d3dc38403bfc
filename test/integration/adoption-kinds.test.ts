/** What exists is taken over, by its id or by its unique name, without a write to the platform: kind by kind. */
import { randomUUID } from "node:crypto";

import { beforeAll, describe, expect, it } from "vitest";

import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import { blueprint, database, defaults, environment, project, resource } from "../support/kube/manifests.ts";

interface Adoptable {
  readonly noun: string;
  readonly kind: string;
  /** @param called what it is on the platform */
  readonly manifest: (name: string, called: string, spec: JsonObject) => Manifest;
  /** Whether a list of the full surface shows it. */
  readonly listed: boolean;
}

const adoptable: readonly Adoptable[] = [
  {
    noun: "database",
    kind: "PlatformDatabase",
    manifest: (name, called, spec) => database(name, "shop", { name: called, ...spec }),
    listed: true,
  },
  {
    noun: "blueprint",
    kind: "PlatformBlueprint",
    manifest: (name, called, spec) => blueprint(name, "shop", { name: called, ...spec }),
    listed: true,
  },
  {
    noun: "webhook",
    kind: "PlatformWebhook",
    manifest: (name, called, spec) =>
      resource("PlatformWebhook", name, { targetUrl: `https://hooks.example.com/${called}`, events: ["A"], ...spec }),
    listed: false,
  },
];

describe.each(["documented", "full"] as const)("what exists on the %s surface", (surface) => {
  const env = createEnv({ surface });

  beforeAll(async () => {
    const spec = { surface: surface === "full" ? "Full" : "Documented", allowUnverifiedIds: true };
    await env.apply(...defaults(env, spec), project("shop"), environment(env, "shop", "shop"));
    await env.waitFor("PlatformEnvironment", "shop", { status: "True" });
    await env.settled();
  });

  it.each(adoptable)("$noun: is taken over by its id, and by its name where a list shows it", async (row) => {
    const { kind, listed } = row;
    // Another one at each look: what the first left behind would be found by its name.
    const noun = `${row.noun}-${randomUUID().slice(0, 4)}`;
    const manifest = (name: string, spec: JsonObject) => row.manifest(name, noun, spec);
    await env.apply(manifest(`${noun}-made`, {}));
    const externalId = idOf(await env.waitFor(kind, `${noun}-made`, { status: "True" }));
    await env.settled();
    const record = await env.record();
    await env.apply(manifest(`${noun}-second`, { externalId }));
    const second = await env.waitFor(kind, `${noun}-second`, { reason: "AlreadyManaged" });
    expect(condition(second, "Stalled")?.status).toBe("True");
    for (const name of [`${noun}-made`, `${noun}-second`]) {
      await env.remove(kind, name);
      await env.waitGone(kind, name);
    }
    await env.apply(manifest(`${noun}-id`, { externalId }));
    const byId = await env.waitFor(kind, `${noun}-id`, { status: "True" });
    expect(idOf(byId)).toBe(externalId);
    await env.settled();
    await env.remove(kind, `${noun}-id`);
    await env.waitGone(kind, `${noun}-id`);
    const isFound = listed && surface === "full";
    const adoption = { lifecycle: listed ? { adoptionPolicy: "Required" } : { managementPolicy: "ObserveOnly" } };
    await env.apply(manifest(`${noun}-name`, adoption));
    const byName = await env.waitFor(kind, `${noun}-name`, { status: isFound ? "True" : "False" });
    expect(idOf(byName)).toBe(isFound ? externalId : "");
    await env.settled();
    expect(record.changes()).toEqual([]);
  });
});
