/** A manifest that was saved in the middle of a create carries the intent of that create, and is applied again later. */
import { beforeAll, describe, expect, it } from "vitest";

import { API_VERSION, INTENT } from "../../src/api/names.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import { application } from "../support/kube/manifests.ts";
import { fixture } from "./fixture.ts";

const APPLICATION = "PlatformApplication";
/** What the operator asks about a create whose result no read shows. */
const QUESTION = /spec\.externalId.*platform-operator\.io\/resolve=recreate:1-/;

/** Creates an application. @returns its manifest as it was while the create was under way, and its id */
async function savedDuringCreate(env: Env, name: string): Promise<{ saved: Manifest; id: string }> {
  env.platform.sim.faults.add({ match: { operation: "createApplication" }, answer: { is: "slow", seconds: 1 } });
  await env.apply(application(name, "staging"));
  const { metadata, spec } = await env.waitFor(APPLICATION, name, isBeingCreated);
  const { annotations = {}, finalizers = [] } = metadata;
  const saved = { apiVersion: API_VERSION, kind: APPLICATION, metadata: { name, annotations, finalizers }, spec };
  return { saved, id: idOf(await env.waitFor(APPLICATION, name, { status: "True" })) };
}

const isBeingCreated = ({ metadata }: KubeObject): boolean => metadata.annotations?.[INTENT] !== undefined;

function idsOnPlatform(env: Env, name: string): readonly string[] {
  return [...env.platform.world().services.values()].filter((service) => service.name === name).map(({ id }) => id);
}

describe.each(["full", "documented"] as const)("a manifest saved during a create, %s surface", (surface) => {
  const env = createEnv({ surface });

  beforeAll(() => fixture(env));

  it.each([true, false])("leads to the object that was created; unique names: %s", async (uniqueNames) => {
    env.platform.sim.settings.uniqueNames = uniqueNames;
    const name = `backup-${String(uniqueNames)}`;
    const record = await env.record();
    const { saved, id } = await savedDuringCreate(env, name);
    await env.stop();
    await env.remove(APPLICATION, name);
    await env.start();
    await env.apply(saved);
    if (surface === "documented") {
      await env.stalled(APPLICATION, name, "CreateResultUnknown", QUESTION);
      await env.patch(APPLICATION, name, { spec: { externalId: id } });
    }
    const ready = await env.waitFor(APPLICATION, name, { status: "True" });
    expect(idOf(ready)).toBe(id);
    expect(ready.metadata.annotations).not.toHaveProperty([INTENT]);
    expect(idsOnPlatform(env, name)).toEqual([id]);
    expect(record.calls("createApplication")).toHaveLength(1);
  });

  it("adopts the object that the orphan ledger lists, and asks nobody", async () => {
    env.platform.sim.settings.uniqueNames = false;
    const { saved, id } = await savedDuringCreate(env, "left");
    await env.delete(saved);
    const record = await env.record();
    await env.apply(saved);
    const ready = await env.waitFor(APPLICATION, "left", { status: "True" });
    expect(idOf(ready)).toBe(id);
    expect(idsOnPlatform(env, "left")).toEqual([id]);
    expect(record.calls("createApplication")).toEqual([]);
  });
});
