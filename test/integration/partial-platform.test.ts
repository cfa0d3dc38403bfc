/** Platforms that offer some of the operations beyond the specification. */
import { beforeAll, describe, expect, it, vi } from "vitest";

import { operations } from "../../simulator/base/operations.ts";
import { partialPlatforms, type SwitchedOff } from "../../simulator/base/platforms.ts";
import { changeSettings } from "../../simulator/base/settings.ts";
import { member } from "../../src/kube/api/json.ts";
import { application, stagedApplications } from "../support/env/applications.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { callsIn } from "../support/platform/change-log.ts";
import { COMMIT, OTHER_COMMIT } from "../support/services/applications.ts";

const beyond = operations.filter(({ surface, id }) => surface === "full" && id !== "getProject");
const only: SwitchedOff = Object.fromEntries(
  beyond.map(({ id, path }) => [id, path.endsWith("/application") ? 405 : 404]),
);

const rows: readonly (readonly [string, SwitchedOff, updated: boolean])[] = [
  ["that only reads", partialPlatforms["read-only"], false],
  // Nothing is known to be missing before something is to be deleted.
  ["that neither deletes nor stops", partialPlatforms["no-delete"], true],
  ["of lists alone", partialPlatforms["lists-only"], false],
  ["that shows a project and nothing else", only, false],
];

describe.each(effort.few(rows))("a platform %s", (_title, switchedOff, updated) => {
  const env = createEnv({ surface: "full" });
  const staged = stagedApplications(env);
  const sent = (id: string): number =>
    callsIn(env.platform.journal()).filter(({ operation }) => operation === id).length;

  beforeAll(async () => {
    changeSettings(env.platform.sim.settings, { switchedOff });
    const fixture = new Set(["Secret", "PlatformConnection", "PlatformProject", "PlatformEnvironment"]);
    const wanted = env
      .quickstart()
      .filter(({ kind, metadata }) => fixture.has(kind) && !["production", "dns", "api"].includes(metadata.name));
    await env.ready(...wanted);
  });

  it("deploys, follows an edit as far as it can, and never takes what exists for deleted", async () => {
    await staged.deploy("web", COMMIT, { cpu: 250, lifecycle: { deletionPolicy: "Delete" } });
    await staged.change("web", { cpu: 500, deploy: { gitCommitId: OTHER_COMMIT } });
    if (updated) await staged.deployed("web", OTHER_COMMIT);
    else await staged.ready("web", "False", "UpdateNotSupported");
    await env.settled();
    const reported = condition(await env.get("PlatformApplication", "web"), "Ready");
    expect(reported?.reason).not.toBe("ExternalResourceDeleted");
  });

  it("says so on the connection, remembers it across a restart, and asks no more", async () => {
    const connection = await env.waitFor("PlatformConnection", "default", ({ status }) => {
      const [surface, missing] = [member(status, "surface"), member(member(status, "operations"), "unsupported")];
      if (updated) return surface === "Full";
      // What the edit has taught: the update, or the record that it would need.
      const taught = new Set(["updateApplication", "getApplication"]);
      return surface === "Partial" && Array.isArray(missing) && missing.some((name) => taught.has(String(name)));
    });
    expect(condition(connection, "SurfaceKnown")).toMatchObject({ status: "True", reason: "SurfaceKnown" });
    const refused = beyond.filter(({ id }) => switchedOff[id] !== undefined).map(({ id }) => [id, sent(id)]);
    const looks = sent("getApplicationStatus") + sent("getEnvironmentStatuses");
    await env.restart();
    await vi.waitFor(() => {
      expect(sent("getApplicationStatus") + sent("getEnvironmentStatuses")).toBeGreaterThan(looks);
    }, 20_000);
    await env.settled();
    await env.quiet(2);
    expect(beyond.filter(({ id }) => switchedOff[id] !== undefined).map(({ id }) => [id, sent(id)])).toEqual(refused);
  });

  it("is asked to delete once, lets go, and says what stays", async () => {
    const before = sent("deleteApplication");
    await env.remove("PlatformApplication", "web");
    expect(sent("deleteApplication") - before).toBeLessThanOrEqual(1);
    expect([...env.platform.world().services.values()].map(({ name }) => name)).toContain("web");
    await env.ready(application("other", undefined, { lifecycle: { deletionPolicy: "Delete" } }));
    await env.remove("PlatformApplication", "other");
    expect(sent("deleteApplication") - before).toBeLessThanOrEqual(1);
  });
});
