import { describe, expect, it } from "vitest";

import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { existing } from "../support/env/existing.ts";
import { idOf } from "../support/env/settling.ts";
import { application, defaults, environment, project } from "../support/kube/manifests.ts";

describe.each(effort.few(["full", "documented"] as const))(
  "[E10] ids of another organization on the %s surface",
  (surface) => {
    const env = createEnv({ surface });

    it("are refused before anything is written: as a parent, and as the object itself", async () => {
      await env.ready(...defaults(env), project("own"), environment(env, "own", "own"));
      const foreign = await existing(env, "theirs", "foreign");
      const record = await env.record();
      const parent = { projectRef: { externalId: foreign.projectId } };
      const place = { environmentRef: { externalId: foreign.environmentId } };
      await env.apply(
        project("theirs", { externalId: foreign.projectId }),
        environment(env, "under-theirs", "own", parent),
        environment(env, "theirs", "own", { externalId: foreign.environmentId }),
        application("in-theirs", "own", place),
        application("theirs", "own", { externalId: foreign.applicationId }),
      );
      const refused: readonly (readonly [string, string])[] = [
        ["PlatformProject", "theirs"],
        ["PlatformEnvironment", "under-theirs"],
        ["PlatformEnvironment", "theirs"],
        ["PlatformApplication", "in-theirs"],
      ];
      for (const [kind, name] of refused) {
        const object = await env.waitFor(kind, name, { reason: "InvalidSpec" });
        expect(condition(object, "Stalled")).toMatchObject({ status: "True" });
        expect(idOf(object)).toBe("");
      }
      const service = await env.waitFor(
        "PlatformApplication",
        "theirs",
        (object) =>
          condition(object, "Stalled") !== undefined || condition(object, "Ready")?.reason === "PermissionDenied",
      );
      expect(idOf(service)).toBe("");
      expect(record.changes()).toEqual([]);
    });
  },
);
