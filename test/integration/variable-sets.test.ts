import { beforeAll, describe, expect, it, vi } from "vitest";

import { FINALIZER } from "../../src/api/names.ts";
import { member } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv, type Env } from "../support/env/env.ts";
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
async function variable(env: Env, app: string, key: string) {
  const id = idOf(await env.get("PlatformApplication", app));
  return [...env.platform.world().variables.values()].find((one) => one.parentId === id && one.key === key);
}

async function ready(env: Env, name: string): Promise<void> {
  await env.waitFor(KIND, name, { status: "True", reason: "Available" });
}

async function stalled(env: Env, name: string, reason: string): Promise<string> {
  return condition(await env.waitFor(KIND, name, { status: "False", reason }), "Ready")?.message ?? "";
}

async function fixture(env: Env): Promise<void> {
  await env.apply(...defaults(env), ...tree(env, "web"), application("api", "web"), secret("values", { token: "old" }));
  for (const name of ["web", "api"]) await env.waitFor("PlatformApplication", name, { status: "True" });
  const surface = env.platform.sim.settings.surface === "full" ? "Full" : "Documented";
  await env.waitFor("PlatformConnection", "default", ({ status }) => member(status, "surface") === surface);
  await env.settled();
}

describe("variable sets on the full surface", () => {
  const env = createEnv({ surface: "full" });
  beforeAll(() => fixture(env));

  it("are imported and deployed in few writes, follow a rotated Secret, and are removed with their resource", async () => {
    const record = await env.record();
    await env.apply(set("shared", ["web", "api"], { variables: [mode, token], ...DELETE }));
    await ready(env, "shared");
    await env.settled();
    const twice = (...operations: readonly string[]): readonly string[] => operations.flatMap((one) => [one, one]);
    expect(record.changes().toSorted()).toEqual(twice("deployApplication", "importEnvironmentVariable"));
    for (const name of ["web", "api"]) {
      await env.waitFor("PlatformApplication", name, { status: "True", reason: "Deployed" });
    }
    // The finalizer, what is about to be made, and the status.
    const sets = (await record.writes()).objects.filter(({ what }) => what.startsWith("platformvariablesets"));
    expect(sets).toHaveLength(3);
    await env.quiet(1.5);

    const rotation = await env.record();
    await env.apply(secret("values", { token: "new" }));
    await vi.waitFor(
      () => expect(rotation.changes().toSorted()).toEqual(twice("deployApplication", "updateApplicationSecret")),
      15_000,
    );
    await env.settled();
    expect((await variable(env, "web", "TOKEN"))?.value).toBe("new");
    const { metadata, status } = await env.get(KIND, "shared");
    expect(metadata.finalizers).toEqual([FINALIZER]);
    expect(status).toMatchObject({ targetsSynced: "2/2", identity: { organizationId: env.platform.organizationId } });
    expect(JSON.stringify(status)).not.toMatch(/"(old|new)"/);

    await env.remove(KIND, "shared");
    await env.waitGone(KIND, "shared");
    expect([await variable(env, "web", "TOKEN"), await variable(env, "api", "MODE")]).toEqual([undefined, undefined]);
    expect(await eventsOf(env, "shared", "Deleted")).toEqual([
      `Normal ${KIND}: The platform does not have what this resource wrote any more.`,
    ]);
  });

  it("serve what exists, and an application as soon as it has an id", async () => {
    await env.apply(set("early", ["web", "late"], { variables: [mode] }));
    expect(await stalled(env, "early", "DependencyNotReady")).toContain('PlatformApplication "late"');
    expect((await variable(env, "web", "MODE"))?.value).toBe("fast");
    env.platform.sim.faults.add({
      match: { operation: "deployApplication" },
      count: 2,
      answer: { is: "status", status: 409 },
    });
    await env.apply(application("late", "web"));
    await ready(env, "early");
    expect((await variable(env, "late", "MODE"))?.value).toBe("fast");
    await env.remove(KIND, "early");
  });

  it("do not undo each other, nor an application, and take over what is free", async () => {
    const overwrite = { overwrite: true };
    await env.apply(set("first", ["api"], { variables: [{ name: "LEVEL", value: "1" }], ...overwrite }));
    await ready(env, "first");
    await env.apply(set("second", ["api"], { variables: [{ name: "LEVEL", value: "2" }], ...overwrite }));
    const first = `${KIND} "${env.namespace}/first" writes the variable LEVEL of application api already.`;
    expect(await stalled(env, "second", "AlreadyManaged")).toContain(first);
    expect((await variable(env, "api", "LEVEL"))?.value).toBe("1");
    await env.restart();
    await env.settled();
    expect((await variable(env, "api", "LEVEL"))?.value).toBe("1");
    await env.remove(KIND, "first");
    await ready(env, "second");
    expect((await variable(env, "api", "LEVEL"))?.value).toBe("2");

    await env.patch("PlatformApplication", "api", { spec: { variables: [{ name: "LEVEL", value: "own" }] } });
    const own = `PlatformApplication "${env.namespace}/api" writes the variable LEVEL`;
    expect(await stalled(env, "second", "AlreadyManaged")).toContain(own);
    await env.settled();
    expect((await variable(env, "api", "LEVEL"))?.value).toBe("own");
    await env.remove(KIND, "second");
  });

  it("tell what others removed where they may only report it, and restore it where they may", async () => {
    const drifting = (driftPolicy: string): Manifest =>
      set("drifting", ["web"], { variables: [{ name: "DRIFT", value: "1" }], lifecycle: { driftPolicy } });
    await env.apply(drifting("Report"));
    await ready(env, "drifting");
    await env.settled();
    const record = await env.record();
    env.platform.world().variables.delete((await variable(env, "web", "DRIFT"))?.id ?? "");
    const told = await env.waitFor(KIND, "drifting", { type: "Drifted", status: "True" });
    const fields = [{ path: "spec.targets[web].variables[DRIFT]", desired: "as imported", observed: "missing" }];
    expect(told.status).toMatchObject({ drift: { fields } });
    expect(record.changes()).toEqual([]);
    await env.apply(drifting("Correct"));
    await env.waitFor(KIND, "drifting", { type: "Drifted", status: "False" });
    expect(await variable(env, "web", "DRIFT")).toMatchObject({ value: "1" });
    await env.remove(KIND, "drifting");
  });

  it("do not hold up the end of an application", async () => {
    await env.apply(application("brief", "web", DELETE));
    await env.waitFor("PlatformApplication", "brief", { status: "True" });
    await env.apply(set("guest", ["brief", "web"], { variables: [{ name: "GUEST", value: "1" }] }));
    await ready(env, "guest");
    await env.remove("PlatformApplication", "brief");
    await env.waitGone("PlatformApplication", "brief");
    expect(await env.find("PlatformApplication", "brief")).toBeUndefined();
    await env.remove(KIND, "guest");
  });

  it("are for one connection each", async () => {
    const other = { connectionRef: { name: "other" } };
    const elsewhere = tree(env, "elsewhere", other);
    await env.apply(secret("other", { token: env.platform.tokens.admin }), connection(env, "other"), ...elsewhere);
    await env.waitFor("PlatformApplication", "elsewhere", { status: "True" });
    await env.apply(set("astray", ["web", "elsewhere"], { variables: [mode] }));
    expect(await stalled(env, "astray", "InvalidSpec")).toContain('"elsewhere", which uses PlatformConnection');
    expect(await variable(env, "elsewhere", "MODE")).toBeUndefined();
    await env.remove(KIND, "astray");
  });
});

describe("variable sets on the documented surface", () => {
  const env = createEnv({ surface: "documented" });
  beforeAll(() => fixture(env));

  it("tell what they cannot replace or remove, and end all the same", async () => {
    await env.apply(set("shared", ["web"], { variables: [mode, token], ...DELETE }));
    await ready(env, "shared");
    await env.settled();
    await env.quiet(1.5);
    await env.apply(secret("values", { token: "new" }));
    expect(await stalled(env, "shared", "VariablesPending")).toContain(
      "TOKEN of application web: exists there as a secret",
    );
    expect(condition(await env.get(KIND, "shared"), "VariablesSynced")).toMatchObject({ status: "False" });
    await env.settled();
    await env.quiet(1.5);
    await env.remove(KIND, "shared");
    await env.waitGone(KIND, "shared");
    const [event = ""] = await eventsOf(env, "shared", "Orphaned");
    expect(event).toMatch(
      /^Warning .*keeps what this resource wrote: .*the set created MODE, TOKEN of application web\.$/,
    );
  });

  it("refuse an application by id that nothing is shown of", async () => {
    const externalId = idOf(await env.get("PlatformApplication", "api"));
    await env.patch("PlatformConnection", "default", { spec: { allowUnverifiedIds: false } });
    await env.apply(resource(KIND, "given", { targets: [{ applicationRef: { externalId } }], variables: [mode] }));
    expect(await stalled(env, "given", "NotObservable")).toContain("allowUnverifiedIds");
    await env.patch("PlatformConnection", "default", { spec: { allowUnverifiedIds: null } });
    await ready(env, "given");
    expect((await variable(env, "api", "MODE"))?.value).toBe("fast");
  });
});
