/** Tests of what the operator tells of a platform in trouble, for each surface in a file of its own. */
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";

import type { Surface } from "../../../simulator/base/operations.ts";
import { editRecord } from "../../../simulator/control/records.ts";
import type { FaultInput } from "../../../simulator/request/faults.ts";
import { member } from "../../../src/kube/api/json.ts";
import { condition } from "../env/cluster.ts";
import { createStage, type Stage } from "../env/env.ts";
import { calm, expectSettled, idOf, versions } from "../env/settling.ts";
import { application, connection, defaults, deploying, project, secret, tree } from "../kube/manifests.ts";
import { tcpProxy } from "../kube/tcp-proxy.ts";

/** What every call of the platform comes to, and what the connection says of it. */
export type Trouble = readonly [what: string, answer: FaultInput["answer"], reason: string, message: RegExp];

export interface TroubledWorld {
  readonly surface: Surface;
  readonly pathPrefix: string;
  readonly troubles: readonly Trouble[];
}

/** What a dependent with work pending says while its connection is in trouble. */
async function expectWaiting(stage: Stage, name: string, because: string): Promise<void> {
  const object = await stage.waitFor("PlatformApplication", name, { status: "False", reason: "ConnectionNotReady" });
  expect(condition(object, "Ready")?.message).toBe(
    `Waiting for PlatformConnection "${stage.namespace}/default" (reason ${because}).`,
  );
  expect(condition(object, "Reconciling")).toMatchObject({ status: "True", reason: "Progressing" });
  expect(condition(object, "Stalled")).toBeUndefined();
}

/** Tests for the `describe` that it is called in, with a stage of their own. */
export function itTellsOfTrouble({ surface, pathPrefix, troubles }: TroubledWorld): void {
  // A status is held back for less time than usual, and a platform that says nothing is waited for.
  const stage = createStage({ surface, windows: { deferMs: 1_000 }, deadlines: { readMs: 3_000 } });

  beforeAll(async () => {
    await stage.apply(...defaults(stage, { pathPrefix }), ...tree(stage, "steady"), ...tree(stage, "moving"));
    await expectSettled(stage, "steady");
    await expectSettled(stage, "moving");
  });

  beforeEach(() => calm(stage));

  afterEach(() => {
    stage.platform.sim.faults.clear();
  });

  it.each(troubles)(
    "is told once, on the connection: %s",
    async (what, answer, reason, message) => {
      const before = await versions(stage, "steady");
      const late = what.toLowerCase().replaceAll(" ", "-");
      const record = await stage.record();
      stage.platform.sim.faults.add({ name: what, answer, count: null });

      const told = await stage.waitFor("PlatformConnection", "default", { type: "Synced", status: "False" }, 40_000);
      expect(condition(told, "Synced")).toMatchObject({ reason, message: expect.stringMatching(message) });
      await stage.apply(application(late, "moving"));
      await stage.patch("PlatformApplication", "moving", deploying(Buffer.from(what.padEnd(12)).toString("hex")));
      await expectWaiting(stage, late, reason);
      await expectWaiting(stage, "moving", reason);
      // Longer than the settled ones' poll interval, and than a status is held back.
      await sleep(2_000);
      expect(await versions(stage, "steady")).toEqual(before);
      expect(record.changes()).toEqual([]);

      stage.platform.sim.faults.clear();
      await stage.waitFor("PlatformConnection", "default", { type: "Synced", status: "True" });
      await stage.waitFor("PlatformApplication", late, { status: "True" });
      await stage.waitFor("PlatformApplication", "moving", { status: "True" });
      expect(record.changes().toSorted()).toEqual(["createApplication", "deployApplication", "deployApplication"]);
      expect(await versions(stage, "steady")).toEqual(before);
      expect((await record.writes()).objects.filter(({ name }) => name === "default")).toHaveLength(2);
    },
    90_000,
  );

  it("is what the operator cannot connect to: told, and over when it is there again", async () => {
    const proxy = await tcpProxy(Number(new URL(stage.platform.url).port));
    const baseUrl = `http://127.0.0.1:${proxy.port}`;
    await stage.apply(
      secret("cut", { token: stage.platform.tokens.admin }),
      connection(stage, "cut", { baseUrl, pathPrefix }),
      project("cut", { connectionRef: { name: "cut" } }),
    );
    const before = await stage.waitFor("PlatformProject", "cut", { status: "True" });
    await proxy.stop();
    const told = await stage.waitFor("PlatformConnection", "cut", { type: "Synced", status: "False" });
    expect(condition(told, "Synced")).toMatchObject({ reason: "PlatformUnreachable" });
    await sleep(3_500);
    const after = await stage.get("PlatformProject", "cut");
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    const again = await tcpProxy(Number(new URL(stage.platform.url).port), proxy.port);
    await stage.waitFor("PlatformConnection", "cut", { type: "Synced", status: "True" });
    await again.stop();
  });

  it("is not a state that nobody documented: the application says so, nothing is done, and it recovers", async () => {
    const id = idOf(await stage.get("PlatformApplication", "steady"));
    await calm(stage);
    const record = await stage.record();
    editRecord(stage.platform.sim, id, { state: "HIBERNATING" });
    const unknown = await stage.waitFor(
      "PlatformApplication",
      "steady",
      (application) => condition(application, "Deployed")?.status === "Unknown",
    );
    expect(member(unknown.status, "state")).toBe("HIBERNATING");
    expect(condition(unknown, "Deployed")).toMatchObject({ reason: "HIBERNATING" });
    expect(condition(unknown, "Ready")).toMatchObject({ status: "True", reason: "Deployed" });
    editRecord(stage.platform.sim, id, { state: "DEPLOYED" });
    await stage.waitFor("PlatformApplication", "steady", { status: "True", reason: "Deployed" });
    expect(record.changes()).toEqual([]);
  });
}
