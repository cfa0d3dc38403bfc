import { beforeAll, describe, expect, it, vi } from "vitest";

import { FINALIZER } from "../../src/api/names.ts";
import { member } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createStage, type Stage } from "../support/env/env.ts";
import { eventsOf, idOf } from "../support/env/settling.ts";
import { application, connection, defaults, resource, secret, tree } from "../support/kube/manifests.ts";

const KIND = "PlatformVariableSet";
const token = { name: "TOKEN", valueFrom: { secretKeyRef: { name: "values", key: "token" } } };
const mode = { name: "MODE", value: "fast" };
const DELETE = { lifecycle: { deletionPolicy: "Delete" } };

function set(name: string, targets: readonly string[], spec: JsonObject): Manifest {
  return resource(KIND, name, { targets: targets.map((target) => ({ applicationRef: { name: target } })), ...spec });
}

/** What the platform has of a variable in an application. */
async function variable(stage: Stage, app: string, key: string) {
  const id = idOf(await stage.get("PlatformApplication", app));
  return [...stage.platform.world().variables.values()].find((one) => one.parentId === id && one.key === key);
}

async function ready(stage: Stage, name: string): Promise<void> {
  await stage.waitFor(KIND, name, { status: "True", reason: "Available" });
}

async function stalled(stage: Stage, name: string, reason: string): Promise<string> {
  return condition(await stage.waitFor(KIND, name, { status: "False", reason }), "Ready")?.message ?? "";
}

async function ground(stage: Stage): Promise<void> {
  await stage.apply(
    ...defaults(stage),
    ...tree(stage, "web"),
    application("api", "web"),
    secret("values", { token: "old" }),
  );
  for (const name of ["web", "api"]) await stage.waitFor("PlatformApplication", name, { status: "True" });
  const surface = stage.platform.sim.settings.surface === "full" ? "Full" : "Documented";
  await stage.waitFor("PlatformConnection", "default", ({ status }) => member(status, "surface") === surface);
  await stage.settled();
}

describe("variable sets on the full surface", () => {
  const stage = createStage({ surface: "full" });
  beforeAll(() => ground(stage));

  it("are imported and deployed in few writes, follow a rotated Secret, and are removed with their resource", async () => {
    const record = await stage.record();
    await stage.apply(set("shared", ["web", "api"], { variables: [mode, token], ...DELETE }));
    await ready(stage, "shared");
    await stage.settled();
    const twice = (...operations: readonly string[]): readonly string[] => operations.flatMap((one) => [one, one]);
    expect(record.changes().toSorted()).toEqual(twice("deployApplication", "importEnvironmentVariable"));
    for (const name of ["web", "api"]) {
      await stage.waitFor("PlatformApplication", name, { status: "True", reason: "Deployed" });
    }
    // The finalizer, what is about to be made, and the status.
    const sets = (await record.writes()).objects.filter(({ what }) => what.startsWith("platformvariablesets"));
    expect(sets).toHaveLength(3);
    await stage.quiet(1.5);

    const rotation = await stage.record();
    await stage.apply(secret("values", { token: "new" }));
    await vi.waitFor(
      () => expect(rotation.changes().toSorted()).toEqual(twice("deployApplication", "updateApplicationSecret")),
      15_000,
    );
    await stage.settled();
    expect((await variable(stage, "web", "TOKEN"))?.value).toBe("new");
    const { metadata, status } = await stage.get(KIND, "shared");
    expect(metadata.finalizers).toEqual([FINALIZER]);
    expect(status).toMatchObject({ targetsSynced: "2/2", identity: { organizationId: stage.platform.organizationId } });
    expect(JSON.stringify(status)).not.toMatch(/"(old|new)"/);

    await stage.remove(KIND, "shared");
    await stage.waitGone(KIND, "shared");
    expect([await variable(stage, "web", "TOKEN"), await variable(stage, "api", "MODE")]).toEqual([
      undefined,
      undefined,
    ]);
    expect(await eventsOf(stage, "shared", "Deleted")).toEqual([
      `Normal ${KIND}: The platform does not have what this resource wrote any more.`,
    ]);
  });

  it("serve what exists, and an application as soon as it has an id", async () => {
    await stage.apply(set("early", ["web", "late"], { variables: [mode] }));
    expect(await stalled(stage, "early", "DependencyNotReady")).toContain('PlatformApplication "late"');
    expect((await variable(stage, "web", "MODE"))?.value).toBe("fast");
    stage.platform.sim.faults.add({
      match: { operation: "deployApplication" },
      count: 2,
      answer: { is: "status", status: 409 },
    });
    await stage.apply(application("late", "web"));
    await ready(stage, "early");
    expect((await variable(stage, "late", "MODE"))?.value).toBe("fast");
    await stage.remove(KIND, "early");
  });

  it("do not undo each other, nor an application, and take over what is free", async () => {
    const overwrite = { overwrite: true };
    await stage.apply(set("first", ["api"], { variables: [{ name: "LEVEL", value: "1" }], ...overwrite }));
    await ready(stage, "first");
    await stage.apply(set("second", ["api"], { variables: [{ name: "LEVEL", value: "2" }], ...overwrite }));
    const first = `${KIND} "${stage.namespace}/first" writes the variable LEVEL of application api already.`;
    expect(await stalled(stage, "second", "AlreadyManaged")).toContain(first);
    expect((await variable(stage, "api", "LEVEL"))?.value).toBe("1");
    await stage.restart();
    await stage.settled();
    expect((await variable(stage, "api", "LEVEL"))?.value).toBe("1");
    await stage.remove(KIND, "first");
    await ready(stage, "second");
    expect((await variable(stage, "api", "LEVEL"))?.value).toBe("2");

    await stage.patch("PlatformApplication", "api", { spec: { variables: [{ name: "LEVEL", value: "own" }] } });
    const own = `PlatformApplication "${stage.namespace}/api" writes the variable LEVEL`;
    expect(await stalled(stage, "second", "AlreadyManaged")).toContain(own);
    await stage.settled();
    expect((await variable(stage, "api", "LEVEL"))?.value).toBe("own");
    await stage.remove(KIND, "second");
  });

  it("tell what others removed where they may only report it, and restore it where they may", async () => {
    const drifting = (driftPolicy: string): Manifest =>
      set("drifting", ["web"], { variables: [{ name: "DRIFT", value: "1" }], lifecycle: { driftPolicy } });
    await stage.apply(drifting("Report"));
    await ready(stage, "drifting");
    await stage.settled();
    const record = await stage.record();
    stage.platform.world().variables.delete((await variable(stage, "web", "DRIFT"))?.id ?? "");
    const told = await stage.waitFor(KIND, "drifting", { type: "Drifted", status: "True" });
    const fields = [{ path: "spec.targets[web].variables[DRIFT]", desired: "as imported", observed: "missing" }];
    expect(told.status).toMatchObject({ drift: { fields } });
    expect(record.changes()).toEqual([]);
    await stage.apply(drifting("Correct"));
    await stage.waitFor(KIND, "drifting", { type: "Drifted", status: "False" });
    expect(await variable(stage, "web", "DRIFT")).toMatchObject({ value: "1" });
    await stage.remove(KIND, "drifting");
  });

  it("do not hold up the end of an application", async () => {
    await stage.apply(application("brief", "web", DELETE));
    await stage.waitFor("PlatformApplication", "brief", { status: "True" });
    await stage.apply(set("guest", ["brief", "web"], { variables: [{ name: "GUEST", value: "1" }] }));
    await ready(stage, "guest");
    await stage.remove("PlatformApplication", "brief");
    await stage.waitGone("PlatformApplication", "brief");
    expect(await stage.find("PlatformApplication", "brief")).toBeUndefined();
    await stage.remove(KIND, "guest");
  });

  it("are for one connection each", async () => {
    const other = { connectionRef: { name: "other" } };
    const elsewhere = tree(stage, "elsewhere", other);
    await stage.apply(
      secret("other", { token: stage.platform.tokens.admin }),
      connection(stage, "other"),
      ...elsewhere,
    );
    await stage.waitFor("PlatformApplication", "elsewhere", { status: "True" });
    await stage.apply(set("astray", ["web", "elsewhere"], { variables: [mode] }));
    expect(await stalled(stage, "astray", "InvalidSpec")).toContain('"elsewhere", which uses PlatformConnection');
    expect(await variable(stage, "elsewhere", "MODE")).toBeUndefined();
    await stage.remove(KIND, "astray");
  });
});

describe("variable sets on the documented surface", () => {
  const stage = createStage({ surface: "documented" });
  beforeAll(() => ground(stage));

  it("tell what they cannot replace or remove, and end all the same", async () => {
    await stage.apply(set("shared", ["web"], { variables: [mode, token], ...DELETE }));
    await ready(stage, "shared");
    await stage.settled();
    await stage.quiet(1.5);
    await stage.apply(secret("values", { token: "new" }));
    expect(await stalled(stage, "shared", "VariablesPending")).toContain(
      "TOKEN of application web: exists there as a secret",
    );
    expect(condition(await stage.get(KIND, "shared"), "VariablesSynced")).toMatchObject({ status: "False" });
    await stage.settled();
    await stage.quiet(1.5);
    await stage.remove(KIND, "shared");
    await stage.waitGone(KIND, "shared");
    const [event = ""] = await eventsOf(stage, "shared", "Orphaned");
    expect(event).toMatch(
      /^Warning .*keeps what this resource wrote: .*the set created MODE, TOKEN of application web\.$/,
    );
  });

  it("refuse an application by id that nothing is shown of", async () => {
    const externalId = idOf(await stage.get("PlatformApplication", "api"));
    await stage.patch("PlatformConnection", "default", { spec: { allowUnverifiedIds: false } });
    await stage.apply(resource(KIND, "given", { targets: [{ applicationRef: { externalId } }], variables: [mode] }));
    expect(await stalled(stage, "given", "NotObservable")).toContain("allowUnverifiedIds");
    await stage.patch("PlatformConnection", "default", { spec: { allowUnverifiedIds: null } });
    await ready(stage, "given");
    expect((await variable(stage, "api", "MODE"))?.value).toBe("fast");
  });
});
