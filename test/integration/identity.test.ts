import { beforeAll, describe, expect, it, vi } from "vitest";

import { EXTERNAL_ID, FINALIZER, INSTALLATION } from "../../src/api/names.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { calm, expectSettled, idOf, TREE } from "../support/env/settling.ts";
import { defaults, deploying, NEXT_COMMIT, project, secret, tree } from "../support/kube/manifests.ts";

describe.each(effort.few(["full", "documented"] as const))("the id of an object, %s surface", (surface) => {
  const env = createEnv({ surface });

  beforeAll(async () => {
    await env.apply(...defaults(env, { allowUnverifiedIds: true }));
  });

  it("[K1] is kept when the token is rotated, and nothing is written to the platform", async () => {
    await env.apply(...tree(env, "rotated"));
    await expectSettled(env, "rotated");
    const { organizationId, sim } = env.platform;
    const { value } = sim.auth.createToken({ name: "next", organizationId, scopes: ["Admin"] });
    await calm(env);
    const record = await env.record();
    await env.apply(secret("default", { token: value }));
    sim.auth.revoke("admin");
    await vi.waitUntil(() => record.calls().some(({ principal }) => principal === "next"), 15_000);
    await env.waitFor("PlatformConnection", "default", { status: "True" });
    await env.patch("PlatformApplication", "rotated", deploying(NEXT_COMMIT));
    await env.waitFor("PlatformApplication", "rotated", { status: "True" });
    expect(record.changes()).toEqual(["deployApplication"]);
    sim.auth.createToken({ name: "admin", organizationId, scopes: ["Admin"], value: env.platform.tokens.admin });
    await env.apply(secret("default", { token: env.platform.tokens.admin }));
  });

  it("[R1] is kept when the statuses are lost: no object is created or deployed again", async () => {
    await env.apply(...tree(env, "lost", { lifecycle: { deletionPolicy: "Retain" } }));
    const before = (await expectSettled(env, "lost")).map(idOf);
    await calm(env);
    const record = await env.record();
    // As a restore from a backup without statuses does.
    for (const kind of TREE) await env.patch(kind, "lost", { status: null }, "status");
    const after = (await expectSettled(env, "lost")).map(idOf);
    expect(after).toEqual(before);
    await calm(env);
    expect(record.changes()).toEqual([]);
  });

  it("[R1] is kept after kubectl replace, which removes annotations and finalizers: the operator adds both again", async () => {
    const bare = project("replaced", { lifecycle: { deletionPolicy: "Delete" } });
    const before = await env.ready(bare);
    const record = await env.record();
    await env.kubectl(["replace", "-f", "-"], { input: JSON.stringify(bare) });
    const isBack = ({ metadata }: KubeObject): boolean =>
      metadata.finalizers?.includes(FINALIZER) === true && metadata.annotations?.[EXTERNAL_ID] !== undefined;
    const after = await env.waitFor("PlatformProject", "replaced", isBack);
    expect(after.metadata.annotations?.[EXTERNAL_ID]).toBe(idOf(before));
    expect(after.metadata.annotations?.[INSTALLATION]).toBe(before.metadata.annotations?.[INSTALLATION]);
    expect(record.changes()).toEqual([]);
  });
});
