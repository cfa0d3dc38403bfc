import { beforeAll, describe, expect, it } from "vitest";

import { foreignDeploy, scheduledStop } from "../../simulator/control/control.ts";
import { removeRecord } from "../../simulator/control/records.ts";
import { member } from "../../src/kube/api/json.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { fixture } from "../support/env/fixture.ts";
import { idOf } from "../support/env/settling.ts";
import { application, COMMIT, database, NEXT_COMMIT } from "../support/kube/manifests.ts";

/** The kinds of services, for what holds for each of them. */
const SERVICE_KINDS = [
  {
    kind: "PlatformApplication",
    noun: "application",
    create: "createApplication",
    deploy: "deployApplication",
    manifest: application,
  },
  {
    kind: "PlatformDatabase",
    noun: "database",
    create: "createDatabase",
    deploy: "deployDatabase",
    manifest: database,
  },
];

const ready = { status: "True" } as const;
describe("[C11] services that others work on, full surface", () => {
  const env = createEnv({ surface: "full" });
  const correct = { lifecycle: { driftPolicy: "Correct" } };
  beforeAll(() => fixture(env));

  it.each(effort.few(SERVICE_KINDS))(
    "$noun: one that is gone is created again, once, where that is wanted",
    async ({ kind, noun, create, deploy, manifest }) => {
      const name = `gone-${noun}`;
      await env.apply(
        manifest(name, "staging", { lifecycle: { onMissing: "Recreate" } }),
        manifest(`lost-${noun}`, "staging", {}),
      );
      const before = idOf(await env.waitFor(kind, name, ready));
      const lost = idOf(await env.waitFor(kind, `lost-${noun}`, ready));
      await env.settled();
      const record = await env.record();
      for (const id of [before, lost]) removeRecord(env.platform.sim, id);
      const found = await env.waitFor(kind, `lost-${noun}`, { type: "Stalled", status: "True" });
      expect(condition(found, "Ready")).toMatchObject({ reason: "ExternalResourceDeleted" });
      const back = await env.waitFor(kind, name, (object) => {
        return idOf(object) !== "" && idOf(object) !== before && condition(object, "Ready")?.status === "True";
      });
      expect(env.platform.world().services.get(idOf(back))?.name).toBe(name);
      await env.settled();
      expect(record.changes()).toEqual([create, deploy]);
    },
  );

  it.each(effort.few(SERVICE_KINDS))(
    "$noun: one that was stopped is started where everything is corrected, and reported otherwise",
    async ({ kind, noun, deploy, manifest }) => {
      await env.apply(manifest(`kept-${noun}`, "staging", correct), manifest(`reported-${noun}`, "staging", {}));
      const ids: string[] = [];
      for (const name of [`kept-${noun}`, `reported-${noun}`]) ids.push(idOf(await env.waitFor(kind, name, ready)));
      await env.settled();
      const record = await env.record();
      const [kept] = ids;
      scheduledStop(env.platform.sim, env.platform.world().services.get(kept ?? "")?.environmentId ?? "");
      const found = await env.waitFor(kind, `reported-${noun}`, { type: "Drifted", status: "True" });
      expect(condition(found, "Ready")).toMatchObject({ reason: "DriftDetected" });
      await env.waitFor(
        kind,
        `kept-${noun}`,
        ({ status }) => member(status, "state") === "DEPLOYED" && record.changes().includes(deploy),
      );
      await env.settled();
      expect(record.changes().filter((operation) => operation === deploy)).toEqual([deploy]);
    },
  );

  it("another commit is replaced by ours where all is corrected", async () => {
    const id = idOf(await env.ready(application("pinned", "staging", correct)));
    await env.settled();
    const record = await env.record();
    foreignDeploy(env.platform.sim, id, NEXT_COMMIT);
    await env.waitFor("PlatformApplication", "pinned", ({ status }) => {
      return record.changes().length > 0 && member(status, "state") === "DEPLOYED";
    });
    await env.settled();
    expect(env.platform.world().services.get(id)?.commit).toBe(COMMIT);
    expect(record.changes()).toEqual(["deployApplication"]);
  });
});
