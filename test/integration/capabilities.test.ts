/** The condition `Capabilities`: which fields of a spec the platform supports, before and after they were tried. */
import { beforeAll, describe, expect, it } from "vitest";

import { partialPlatforms, type SwitchedOff } from "../../simulator/base/platforms.ts";
import { changeSettings } from "../../simulator/base/settings.ts";
import { member } from "../../src/kube/api/json.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { project } from "../support/kube/manifests.ts";

const described = (name: string, description: string) =>
  project(name, { description, lifecycle: { deletionPolicy: "Delete" } });

const NOT_TRIED = "whether the platform has deleteProject is known after the first deletion.";
const NOT_DOCUMENTED =
  "the specification has no deleteProject, and the platform has shown nothing beyond it; the object stays on the platform when this resource is deleted.";
const STAYS = "the platform has no deleteProject; the object stays on the platform when this resource is deleted.";

type Row = readonly [
  title: string,
  surface: "documented" | "full",
  off: SwitchedOff,
  edited: string,
  status: "True" | "False",
  deleted: string,
];

const rows: readonly Row[] = [
  ["its specification alone", "documented", {}, "UpdateNotSupported", "False", STAYS],
  ["everything", "full", {}, "Available", "True", "the platform has deleteProject."],
  ["reads alone", "full", partialPlatforms["read-only"], "UpdateNotSupported", "False", STAYS],
];

describe.each(effort.few(rows, 2))(
  "on a platform that offers %s",
  (_title, surface, switchedOff, edited, status, deleted) => {
    const env = createEnv({ surface });
    const reported = async (name: string) => {
      const object = await env.get("PlatformProject", name);
      return { ready: condition(object, "Ready"), capabilities: condition(object, "Capabilities") };
    };

    beforeAll(async () => {
      changeSettings(env.platform.sim.settings, { switchedOff });
      const fixture = new Set(["Secret", "PlatformConnection"]);
      await env.apply(...env.quickstart().filter(({ kind }) => fixture.has(kind)));
    });

    const untried = surface === "documented" ? NOT_DOCUMENTED : NOT_TRIED;

    it("says soon after the creation what nobody has tried yet", async () => {
      await env.ready(described("first", "one"));
      await env.waitFor("PlatformProject", "first", {
        type: "Capabilities",
        ...(surface === "documented"
          ? { status: "False", reason: "NotSupportedByApi" }
          : { status: "Unknown", reason: "NotTried" }),
      });
      const { capabilities } = await reported("first");
      expect(capabilities?.message).toContain(untried);
    });

    it("says after a change whether it worked, and rewrites nothing that is settled", async () => {
      await env.apply(described("first", "two"));
      await env.waitFor("PlatformProject", "first", (object) => {
        const generation = member(object.status, "observedGeneration");
        return generation === object.metadata.generation && condition(object, "Ready")?.reason === edited;
      });
      const { capabilities } = await reported("first");
      expect(capabilities).toMatchObject({
        status: status === "True" ? "Unknown" : "False",
        message: `Update: the platform has ${status === "True" ? "" : "no "}updateProject${
          status === "True" ? "" : "; changed settings are not sent after the creation"
        }. Delete: ${untried}`,
      });
      await env.waitFor("PlatformConnection", "default", (connection) => {
        const known = member(member(connection.status, "operations"), status === "True" ? "supported" : "unsupported");
        return Array.isArray(known) && known.includes("updateProject");
      });
      const before = (await env.get("PlatformProject", "first")).metadata.resourceVersion;
      await env.quiet(2);
      expect((await env.get("PlatformProject", "first")).metadata.resourceVersion).toBe(before);
    });

    it("reports to the next resource what the first deletion has shown, and leaves Ready alone", async () => {
      await env.remove("PlatformProject", "first");
      await env.waitGone("PlatformProject", "first");
      await env.ready(described("second", "one"));
      const { ready, capabilities } = await reported("second");
      expect(ready).toMatchObject({ status: "True" });
      expect(capabilities).toMatchObject({ status, reason: status === "True" ? "Supported" : "NotSupportedByApi" });
      expect(capabilities?.message).toContain(`Delete: ${deleted}`);
    });
  },
);
