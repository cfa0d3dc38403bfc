import { beforeAll, describe, expect, it, vi } from "vitest";

import { FINALIZER } from "../../src/api/names.ts";
import { member } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { surfaceOf } from "../support/env/fixture.ts";
import { eventsOf, idOf } from "../support/env/settling.ts";
import { application, defaults, resource, secret, tree } from "../support/kube/manifests.ts";

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

async function fixture(env: Env): Promise<void> {
  await env.ready(...defaults(env), ...tree(env, "web"), application("api", "web"), secret("values", { token: "old" }));
  const surface = surfaceOf(env);
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

  it("do not hold up the end of an application", async () => {
    await env.ready(application("brief", "web", DELETE));
    await env.apply(set("guest", ["brief", "web"], { variables: [{ name: "GUEST", value: "1" }] }));
    await ready(env, "guest");
    await env.remove("PlatformApplication", "brief");
    await env.waitGone("PlatformApplication", "brief");
    expect(await env.find("PlatformApplication", "brief")).toBeUndefined();
    await env.remove(KIND, "guest");
  });
});
