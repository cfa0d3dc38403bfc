/** Writes of an unknown outcome: the operator finds out what became of them, or asks a person. */
import { beforeAll, describe, expect, it, vi } from "vitest";

import { INTENT, RESOLVE } from "../../src/api/names.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import type { Recording } from "../support/env/recording.ts";
import { expectSettled, idOf } from "../support/env/settling.ts";
import { answerIn } from "../support/kube/answer.ts";
import { application, tree } from "../support/kube/manifests.ts";
import { fixture } from "./fixture.ts";
import { idsDone, losses, subjectOf } from "./lost-writes.ts";

const APPLICATION = "PlatformApplication";

describe.each(effort.few(["full", "documented"] as const))("a lost write that a read shows, %s surface", (surface) => {
  // Far longer than what is late takes: on a busy machine neither clock is punctual.
  const env = createEnv({ surface, windows: { landingMs: 4_000 } });

  beforeAll(() => fixture(env, "staging", {}));

  // Only a platform that lists applications can show whether one was created.
  const listed = surface === "full" ? ["createApplication"] : [];
  // Without a list of environments, statistics show that one was created, and never that none was.
  const shownBy = (operation: string) =>
    surface === "documented" && operation === "createEnvironment"
      ? losses.filter(({ fault }) => fault.effect !== "none")
      : losses;

  describe.each(["createProject", "createEnvironment", ...listed, "deployApplication"])("[A3] %s", (operation) => {
    const shown = shownBy(operation);
    let record: Recording;

    // One tree for each loss, all at once: which meets which is known afterwards.
    beforeAll(async () => {
      record = await env.record();
      for (const { what, fault } of shown) {
        env.platform.sim.faults.add({ ...fault, name: what, match: { operation } });
      }
      await env.apply(...shown.flatMap((_, index) => tree(env, `${operation.toLowerCase()}-${index}`)));
    });

    it.each(shown)("that $what is carried out exactly once", async ({ what }) => {
      const name = await subjectOf(env, record, what);
      const [service, environment, project] = (await expectSettled(env, name)).map(idOf);
      for (const [done, id] of [
        ["createProject", project],
        ["createEnvironment", environment],
        ["createApplication", service],
        ["deployApplication", service],
      ] as const) {
        expect(idsDone(env, record, done, name), done).toEqual([id]);
      }
      expect(record.calls(operation).filter(({ fault }) => fault === what)).toHaveLength(1);
    });
  });
});

describe("a lost write that no read shows, documented surface", () => {
  const env = createEnv({ surface: "documented" });

  beforeAll(() => fixture(env));

  describe("[A3] the creation of an application", () => {
    const names = losses.map((_, index) => `lost-${index}`);
    let record: Recording;

    /** @returns the one record of that name on the platform. */
    const idOnPlatform = (name: string): string | undefined =>
      [...env.platform.world().services.values()].find((service) => service.name === name)?.id;

    beforeAll(async () => {
      record = await env.record();
      for (const { what, fault } of losses) {
        env.platform.sim.faults.add({ ...fault, name: what, match: { operation: "createApplication" } });
      }
      await env.apply(...names.map((name) => application(name, "staging")));
      for (const name of names) await env.waitFor(APPLICATION, name, { reason: "CreateResultUnknown" });
    });

    it("is not sent again", async () => {
      const landing = losses.filter(({ fault }) => fault.effect !== "none");
      const landed = (): readonly string[] => names.filter((name) => idOnPlatform(name) !== undefined);
      await vi.waitFor(() => expect(landed()).toHaveLength(landing.length), { timeout: 10_000 });
      // The parents count what landed late at their next poll: that is one write of the status each.
      for (const [kind, name, path] of [
        ["PlatformEnvironment", "staging", ["serviceCount"]],
        ["PlatformProject", "shop", ["environments", 0, "serviceCount"]],
      ] as const) {
        const counted = async () =>
          expect(await env.get(kind, name)).toHaveProperty(["status", ...path], landing.length);
        await vi.waitFor(counted, { timeout: 20_000 });
      }
      await env.quiet(2);
      expect(record.changes()).toEqual(names.map(() => "createApplication"));
    });

    it.each(losses)("that $what: stalls with two ways to continue", async ({ what, fault }) => {
      const name = await subjectOf(env, record, what);
      const says = /spec\.externalId.*platform-operator\.io\/resolve=recreate:1-/;
      const stalled = await env.stalled(APPLICATION, name, "CreateResultUnknown", says);
      expect(idOnPlatform(name) !== undefined).toBe(fault.effect !== "none");

      // What the message asks for: look whether it is there, then say so.
      const id = idOnPlatform(name);
      if (id === undefined) await env.annotate(APPLICATION, name, { [RESOLVE]: answerIn(stalled) });
      else await env.patch(APPLICATION, name, { spec: { externalId: id } });
      const ready = await env.waitFor(APPLICATION, name, { status: "True" });
      expect(idOf(ready)).toBe(idOnPlatform(name));
      expect(ready.metadata.annotations?.[INTENT]).toBeUndefined();
      expect(idsDone(env, record, "createApplication", name)).toEqual([idOf(ready)]);
      expect(idsDone(env, record, "deployApplication", name)).toEqual([idOf(ready)]);
    });
  });
});
