/** Annotations that leave no room for the operator's own ones (docs/reliability.md E16, B11). */
import { beforeAll, describe, expect, it, vi } from "vitest";

import { EXTERNAL_ID } from "../../src/api/names.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition, PATIENCE_MS } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { defaults, project } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";

/** More than there are workers. */
const CROWD = Array.from({ length: 12 }, (_, index) => `crowded-${index}`);
const DELETE = { lifecycle: { deletionPolicy: "Delete" } };
/** Fills the API server's limit of annotations but for a few bytes. */
const FILLER = { "example.com/filler": "x".repeat(256 * 1_024 - 80) };

describe("objects whose annotations are full", () => {
  const env = createEnv({ surface: "full" });
  /** Replaces all annotations by some that leave no room. */
  const crowd = async (name: string, more: JsonObject = {}): Promise<void> => {
    const { annotations = {} } = (await env.get("PlatformProject", name)).metadata;
    const none = Object.fromEntries(Object.keys(annotations).map((key) => [key, null]));
    await env.patch("PlatformProject", name, { metadata: { annotations: { ...none, ...FILLER } }, ...more });
  };
  const makeRoom = (name: string): Promise<void> =>
    env.patch("PlatformProject", name, { metadata: { annotations: { "example.com/filler": null } } });
  const names = (): readonly string[] => [...env.platform.world().projects.values()].map(({ name }) => name);

  beforeAll(async () => {
    await env.ready(...defaults(env, { surface: "Full" }), ...CROWD.map((name) => project(name, DELETE)));
    await env.settled();
  });

  it("[E16] block no other object, report the problem, and can be deleted", async ({ task }) => {
    for (const name of CROWD) await crowd(name);
    const uncreated = project("uncreated", DELETE);
    await env.apply({ ...uncreated, metadata: { ...uncreated.metadata, annotations: FILLER } });
    await env.ready(project("good"));
    const full = await env.waitFor(
      "PlatformProject",
      "uncreated",
      (object) => condition(object, "Ready") !== undefined,
    );
    expect(condition(full, "Ready")).toMatchObject({
      status: "False",
      message: expect.stringContaining("annotations"),
    });
    // It continues as soon as there is room again.
    await makeRoom("uncreated");
    await env.waitFor("PlatformProject", "uncreated", { status: "True" });
    for (const name of [...CROWD, "uncreated"]) await env.remove("PlatformProject", name);
    for (const name of [...CROWD, "uncreated"]) await env.waitGone("PlatformProject", name);
    expect(names()).toEqual(["good"]);
    figure(task, `${CROWD.length + 1} objects with full annotations, 0 others blocked`, CROWD.length + 1);
  });

  it("get the annotation with their external id back as soon as there is room", async () => {
    const created = await env.ready(project("again", DELETE));
    const id = created.metadata.annotations?.[EXTERNAL_ID];
    const record = await env.record();
    // The change of the spec shows that the operator has reconciled the object with full annotations.
    await crowd("again", { spec: { description: "crowded" } });
    await vi.waitFor(
      () =>
        expect([...env.platform.world().projects.values()]).toContainEqual(
          expect.objectContaining({ name: "again", description: "crowded" }),
        ),
      PATIENCE_MS,
    );
    await env.settled();
    const { objects } = await record.writes();
    expect(objects.filter(({ name, code }) => name === "again" && code === 422)).toEqual([]);
    await env.quiet(2);
    await makeRoom("again");
    const { metadata } = await env.waitFor(
      "PlatformProject",
      "again",
      (one) => EXTERNAL_ID in (one.metadata.annotations ?? {}),
    );
    expect(metadata.annotations?.[EXTERNAL_ID]).toBe(id);
  });
});
