import { beforeAll, describe, expect, it } from "vitest";

import { member } from "../../src/kube/api/json.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { fixture } from "../support/env/fixture.ts";
import { calm, idOf } from "../support/env/settling.ts";
import { blueprint, secret } from "../support/kube/manifests.ts";

const KIND = "PlatformBlueprint";

/** The bodies of the creates since then. */
const bodies = (record: Awaited<ReturnType<Env["record"]>>): readonly unknown[] =>
  record.calls("createBlueprint").map(({ body }) => body);

describe.each(effort.few(["documented", "full"] as const))("a blueprint on the %s surface", (surface) => {
  const env = createEnv({ surface });
  beforeAll(() => fixture(env, "shop", {}));

  it("is created once, reported as it is, and left alone", async () => {
    const record = await env.record();
    const password = { name: "password", valueFrom: { secretKeyRef: { name: "db", key: "password" } } };
    const ready = await env.ready(
      secret("db", { password: "s3cret-value" }),
      blueprint("cache", "shop", { variables: [password] }),
    );
    const made = [...env.platform.world().blueprints.values()].filter(({ name }) => name === "cache");
    expect(made.map(({ id }) => id)).toEqual([idOf(ready)]);
    expect(condition(ready, "Ready")).toMatchObject({ reason: surface === "full" ? "Deployed" : "Available" });
    const deployed =
      surface === "full" ? { status: "True", reason: "DEPLOYED" } : { status: "Unknown", reason: "NotObservable" };
    expect(condition(ready, "Deployed")).toMatchObject(deployed);
    expect(JSON.stringify(ready)).not.toContain("s3cret-value");
    await calm(env);
    expect(record.changes()).toEqual(["createBlueprint"]);
    // Intent, id, status; on the full surface the status once more, at the end of the deployment.
    const written = (await record.writes()).objects.filter(({ name }) => name === "cache");
    expect(written.length).toBeLessThanOrEqual(surface === "full" ? 4 : 3);
    await env.quiet(1);
  });

  it("keeps a null of the user's through the API server, and sends it", async () => {
    const record = await env.record();
    const manifest = blueprint("nullable", "shop", { specOverrides: null });
    const apply = ["apply", "--server-side", "--force-conflicts", "-f", "-"];
    await env.kubectl(apply, { input: JSON.stringify(manifest) });
    const ready = await env.waitFor(KIND, "nullable", { status: "True" });
    expect(ready.spec).toMatchObject({ specOverrides: null });
    expect(bodies(record)).toEqual([expect.objectContaining({ spec_overrides: null })]);
    await calm(env);
    // The operator's own patches have not taken it away, and another apply changes nothing.
    const again = await env.record();
    await env.kubectl(apply, { input: JSON.stringify(manifest) });
    expect((await env.get(KIND, "nullable")).spec).toMatchObject({ specOverrides: null });
    await env.quiet(1);
    expect(again.changes()).toEqual([]);
  });

  it("is sent no null that kubectl has left out: applied by the client, there is none", async () => {
    const record = await env.record();
    const manifest = blueprint("left-out", "shop", { specOverrides: null });
    await env.kubectl(["apply", "-f", "-"], { input: JSON.stringify(manifest) });
    const ready = await env.waitFor(KIND, "left-out", { status: "True" });
    expect(member(ready.spec, "specOverrides")).toBeUndefined();
    expect(bodies(record)).toEqual([
      { name: "left-out", tag: member(ready.spec, "tag"), icon: member(ready.spec, "icon") },
    ]);
    // A null that comes later means the same.
    await env.kubectl(["apply", "--server-side", "--force-conflicts", "-f", "-"], {
      input: JSON.stringify(manifest),
    });
    const later = await env.waitFor(KIND, "left-out", { status: "True" });
    expect(later.spec).toMatchObject({ specOverrides: null });
    await calm(env);
    expect(record.changes()).toEqual(["createBlueprint"]);
  });

  it("keeps overrides of any shape, nulls inside among them", async () => {
    const record = await env.record();
    const specOverrides = { timeout: 60, cpu: null, storage: { size: ["1", null] } };
    await env.ready(blueprint("shaped", "shop", { specOverrides }));
    expect(bodies(record)).toEqual([expect.objectContaining({ spec_overrides: specOverrides })]);
  });
});
