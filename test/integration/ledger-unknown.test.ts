import { beforeAll, describe, expect, it, vi } from "vitest";

import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import type { Recording } from "../support/env/recording.ts";
import { idOf } from "../support/env/settling.ts";
import { idsDone, losses, subjectOf } from "../support/kube/lost-writes.ts";
import { application, defaults, environment, project } from "../support/kube/manifests.ts";

const RESOLVE = "platform-operator.io/resolve";

describe("[A3] an application whose creation nobody can find out about, documented surface", () => {
  const env = createEnv({ surface: "documented" });
  const names = losses.map((_, index) => `lost-${index}`);
  let record: Recording;

  /** @returns the one record of that name on the platform. */
  const idOnPlatform = (name: string): string | undefined =>
    [...env.platform.world().services.values()].find((service) => service.name === name)?.id;

  beforeAll(async () => {
    const fixture = [project("lost"), environment(env, "lost", "lost")];
    await env.ready(...defaults(env, { allowUnverifiedIds: true }), ...fixture);
    record = await env.record();
    for (const { what, fault } of losses) {
      env.platform.sim.faults.add({ ...fault, name: what, match: { operation: "createApplication" } });
    }
    await env.apply(...names.map((name) => application(name, "lost")));
    for (const name of names) await env.waitFor("PlatformApplication", name, { reason: "CreateResultUnknown" });
  });

  it("sends nothing more", async () => {
    const landing = losses.filter(({ fault }) => fault.effect !== "none");
    const landed = (): readonly string[] => names.filter((name) => idOnPlatform(name) !== undefined);
    await vi.waitFor(() => expect(landed()).toHaveLength(landing.length), { timeout: 10_000 });
    // The parents count what landed late at their next poll: that is one write of the status each.
    for (const [kind, path] of [
      ["PlatformEnvironment", ["serviceCount"]],
      ["PlatformProject", ["environments", 0, "serviceCount"]],
    ] as const) {
      const counted = async () =>
        expect(await env.get(kind, "lost")).toHaveProperty(["status", ...path], landing.length);
      await vi.waitFor(counted, { timeout: 20_000 });
    }
    await env.quiet(2);
    expect(record.changes()).toEqual(names.map(() => "createApplication"));
  });

  it.each(losses)("that $what: says CreateResultUnknown and the two ways out", async ({ what, fault }) => {
    const name = await subjectOf(env, record, what);
    const stalled = await env.waitFor("PlatformApplication", name, { reason: "CreateResultUnknown" });
    expect(condition(stalled, "Stalled")).toMatchObject({ status: "True" });
    expect(condition(stalled, "Ready")?.message).toMatch(/spec\.externalId.*platform-operator\.io\/resolve=recreate/);
    expect(idOnPlatform(name) !== undefined).toBe(fault.effect !== "none");

    // What the message asks for: look whether it is there, then say so.
    const id = idOnPlatform(name);
    if (id === undefined) await env.annotate("PlatformApplication", name, { [RESOLVE]: "recreate" });
    else await env.patch("PlatformApplication", name, { spec: { externalId: id } });
    const ready = await env.waitFor("PlatformApplication", name, { status: "True" });
    expect(idOf(ready)).toBe(idOnPlatform(name));
    expect(ready.metadata.annotations?.["platform-operator.io/intent"]).toBeUndefined();
    expect(ready.metadata.annotations?.[RESOLVE]).toBeUndefined();
    expect(idsDone(env, record, "createApplication", name)).toEqual([idOf(ready)]);
    expect(idsDone(env, record, "deployApplication", name)).toEqual([idOf(ready)]);
  });
});
