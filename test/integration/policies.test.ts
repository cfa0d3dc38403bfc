/**
 * What a spec and its connection say about changes by others: drift, loss, ids of another organization. An approval:
 * cli-objects-say.test.ts; the limit of mass changes: src/engine/engine-unasked.test.ts; the projects that a
 * connection reaches: test/hostile/tenants.test.ts.
 */
import { beforeAll, describe, expect, it, vi } from "vitest";

import { scheduledStop } from "../../simulator/control/control.ts";
import { removeRecord } from "../../simulator/control/records.ts";
import { member } from "../../src/kube/api/json.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import { application, database, environment, project } from "../support/kube/manifests.ts";
import { fixture, surfaceOf } from "./fixture.ts";

const APPLICATION = "PlatformApplication";
const PROJECT = "PlatformProject";
const recreated = { lifecycle: { onMissing: "Recreate" } };
const corrected = { lifecycle: { driftPolicy: "Correct" } };
const ready = { status: "True" } as const;
const isRunning = ({ status }: KubeObject): boolean => member(status, "state") === "DEPLOYED";

/** The kinds of services, for what holds for each of them. */
const SERVICES = [
  { kind: APPLICATION, create: "createApplication", deploy: "deployApplication", manifest: application },
  { kind: "PlatformDatabase", create: "createDatabase", deploy: "deployDatabase", manifest: database },
];

describe.each(effort.few(["full", "documented"] as const))("a policy of the spec, %s surface", (surface) => {
  const env = createEnv({ surface });

  beforeAll(() => fixture(env, "staging", { surface: surfaceOf(env) }));

  it("[C7] onMissing: an object that the platform no longer has is created once under Recreate, and only reported under Fail", async () => {
    const lost = idOf(await env.ready(project("lost")));
    const before = idOf(await env.ready(project("back", recreated)));
    // Until a list has shown them: what no list ever showed is not gone because no list shows it.
    await env.settled();
    const record = await env.record();
    for (const id of [before, lost]) removeRecord(env.platform.sim, id);
    const again = await env.waitFor(PROJECT, "back", (object) => !["", before].includes(idOf(object)));
    await env.waitFor(PROJECT, "back", ready);
    await env.waitFor(PROJECT, "lost", { reason: "ExternalResourceDeleted" });
    await env.settled();
    expect(record.changes()).toEqual(["createProject"]);
    expect(env.platform.world().projects.has(idOf(again))).toBe(true);
  });

  describe.runIf(surface === "full")("[C11] for a service that others change on the platform", () => {
    it.each(effort.few(SERVICES))(
      "onMissing: a $kind that others deleted is created and deployed once under Recreate, and only reported under Fail",
      async ({ kind, create, deploy, manifest }) => {
        const [name, other] = [`gone-${create.toLowerCase()}`, `lost-${create.toLowerCase()}`];
        const lost = idOf(await env.ready(manifest(other, "staging", {})));
        const before = idOf(await env.ready(manifest(name, "staging", recreated)));
        await env.settled();
        const record = await env.record();
        for (const id of [before, lost]) removeRecord(env.platform.sim, id);
        await env.stalled(kind, other, "ExternalResourceDeleted");
        const isBack = (object: KubeObject): boolean =>
          !["", before].includes(idOf(object)) && condition(object, "Ready")?.status === "True";
        const back = await env.waitFor(kind, name, isBack);
        expect(env.platform.world().services.get(idOf(back))?.name).toBe(name);
        await env.settled();
        expect(record.changes()).toEqual([create, deploy]);
      },
    );

    it.each(effort.few(SERVICES))(
      "driftPolicy: a $kind that others stopped is started under Correct, and only reported under Report",
      async ({ kind, deploy, manifest }) => {
        const name = `stopped-${deploy.toLowerCase()}`;
        const place = environment(env, name, "shop");
        await env.ready(place, manifest(`kept-${name}`, name, corrected), manifest(`reported-${name}`, name, {}));
        await env.settled();
        const record = await env.record();
        scheduledStop(env.platform.sim, idOf(await env.get("PlatformEnvironment", name)));
        const found = await env.waitFor(kind, `reported-${name}`, { type: "Drifted", status: "True" });
        expect(condition(found, "Ready")).toMatchObject({ reason: "DriftDetected" });
        await vi.waitFor(() => expect(record.changes()).toEqual([deploy]), 20_000);
        await env.waitFor(kind, `kept-${name}`, isRunning);
        await env.settled();
        expect(record.changes()).toEqual([deploy]);
      },
    );
  });
});
