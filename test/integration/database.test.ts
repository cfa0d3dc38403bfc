import { beforeAll, describe, expect, it } from "vitest";

import { member } from "../../src/kube/api/json.ts";
import { condition } from "../support/env/cluster.ts";
import { fixture } from "../support/env/databases.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { eventsOf, idOf } from "../support/env/settling.ts";
import { database } from "../support/kube/manifests.ts";

const KIND = "PlatformDatabase";
const running = { status: "True", reason: "Available" } as const;

describe.each(effort.few(["full", "documented"] as const))("a database on the %s surface", (surface) => {
  const env = createEnv({ surface, windows: { deferMs: 20_000, graceMs: 8_000 } });
  beforeAll(() => fixture(env));

  it("is created, deployed, stopped, started and stopped at its end, each once and in few writes", async () => {
    const record = await env.record();
    await env.apply(database("main", "staging", { lifecycle: { deletionPolicy: "Stop" } }));
    const ready = await env.waitFor(KIND, "main", running);
    expect(condition(ready, "Deployed")).toMatchObject({ status: "True", reason: "DEPLOYED" });
    expect(ready.status).toMatchObject({ state: "DEPLOYED", type: "POSTGRESQL", version: "16", runState: "Running" });
    await env.settled();
    expect(record.changes()).toEqual(["createDatabase", "deployDatabase"]);
    const { objects } = await record.writes();
    // Where nothing shows that it was deployed, that is noted beside the status as well, in case the status is lost.
    const most = surface === "full" ? 4 : 5;
    expect(objects.filter(({ name }) => name === "main").length, JSON.stringify(objects)).toBeLessThanOrEqual(most);
    await env.quiet(1);

    const later = await env.record();
    await env.patch(KIND, "main", { spec: { runState: "Stopped" } });
    const stopped = await env.waitFor(KIND, "main", { status: "True", reason: "Stopped" });
    expect(stopped.status).toMatchObject({ state: "STOPPED", runState: "Stopped" });
    await env.patch(KIND, "main", { spec: { runState: "Running" } });
    await env.waitFor(KIND, "main", running);
    await env.remove(KIND, "main");
    await env.waitGone(KIND, "main");
    expect(later.changes()).toEqual(["stopDatabase", "deployDatabase", "stopDatabase"]);
    expect(env.platform.world().services.get(idOf(ready))?.state).toBe("STOPPED");
  });

  it.runIf(surface === "documented").each([
    ["once: is deployed once more, and comes to its end", 1, "Available"],
    ["twice: is left to a person, and never sent a third time", 2, "NotObservable"],
  ])("whose deployment is not confirmed %s", async (_title, count, reason) => {
    const name = `unconfirmed-${count}`;
    const fault = { match: { operation: "deployDatabase" }, effect: "applied", answer: { is: "reset" } } as const;
    const record = await env.record();
    env.platform.sim.faults.add({ ...fault, count });
    await env.apply(database(name, "staging"));
    await env.waitFor(KIND, name, { status: count === 1 ? "True" : "False", reason });
    env.platform.sim.faults.clear();
    await env.quiet(2);
    expect(record.changes()).toEqual(["createDatabase", "deployDatabase", "deployDatabase"]);
  });

  /** A database that is deleted with its resource, and what was changed since it ran. */
  const sized = async () => {
    await env.apply(database("sized", "staging", { storage: 10, lifecycle: { deletionPolicy: "Delete" } }));
    const id = idOf(await env.waitFor(KIND, "sized", running));
    await env.settled();
    const record = await env.record();
    await env.patch(KIND, "sized", { spec: { version: "17", storage: 20 } });
    return { id, record };
  };
  const removed = async (): Promise<void> => {
    await env.remove(KIND, "sized");
    await env.waitGone(KIND, "sized");
  };

  it.runIf(surface === "full")("has its version and size changed, and is deleted", async () => {
    const { id, record } = await sized();
    await env.waitFor(KIND, "sized", ({ status }) => member(status, "version") === "17");
    await env.waitFor(KIND, "sized", running);
    await env.settled();
    expect(env.platform.world().services.get(id)?.settings).toMatchObject({ version: "17", storage: 20 });
    await removed();
    // List and states are two reads: an object that goes between them looks as if its deletion was never sent.
    const found = record.changeCalls().filter(({ status }) => status !== 404);
    expect(found.map(({ operation }) => operation)).toEqual(["updateDatabase", "deployDatabase", "deleteDatabase"]);
  });

  it.runIf(surface === "documented")("says that it can neither be changed nor deleted", async () => {
    const { record } = await sized();
    const told = await env.waitFor(KIND, "sized", { status: "False", reason: "UpdateNotSupported" });
    expect(condition(told, "Ready")?.message).toContain("spec.storage, spec.version");
    await removed();
    expect(await eventsOf(env, "sized", "Orphaned")).toHaveLength(1);
    expect(record.changes()).toEqual([]);
  });
});
