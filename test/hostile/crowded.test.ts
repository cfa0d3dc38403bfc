/** Annotations that leave no room for what the operator has to write beside them (docs/reliability.md E16, B11). */
import { beforeAll, describe, expect, it, vi } from "vitest";

import { EXTERNAL_ID } from "../../src/api/names.ts";
import { condition, PATIENCE_MS } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { defaults, project } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";

/** More than there are workers. */
const CROWD = Array.from({ length: 12 }, (_, index) => `crowded-${index}`);
const DELETE = { lifecycle: { deletionPolicy: "Delete" } };
/** All that the API server takes on one object, but for a few bytes. */
const FILLER = { "example.com/filler": "x".repeat(256 * 1_024 - 80) };

describe("objects whose annotations are full", () => {
  const env = createEnv({ surface: "full" });
  const names = (): readonly string[] => [...env.platform.world().projects.values()].map(({ name }) => name);

  beforeAll(async () => {
    await env.apply(...defaults(env, { surface: "Full" }), ...CROWD.map((name) => project(name, DELETE)));
    for (const name of CROWD) await env.waitFor("PlatformProject", name, { status: "True" });
    await env.settled();
  });

  it("[E16] hold up nobody, say what is wrong, and go when they are deleted", async ({ task }) => {
    for (const name of CROWD) {
      const { annotations = {} } = (await env.get("PlatformProject", name)).metadata;
      const none = Object.fromEntries(Object.keys(annotations).map((key) => [key, null]));
      await env.patch("PlatformProject", name, { metadata: { annotations: { ...none, ...FILLER } } });
    }
    const unborn = project("unborn", DELETE);
    await env.apply({ ...unborn, metadata: { ...unborn.metadata, annotations: FILLER } });
    await env.apply(project("good"));
    await env.waitFor("PlatformProject", "good", { status: "True" });
    const told = await env.waitFor("PlatformProject", "unborn", (object) => condition(object, "Ready") !== undefined);
    expect(condition(told, "Ready")).toMatchObject({
      status: "False",
      message: expect.stringContaining("annotations"),
    });
    // With room again, it goes on.
    await env.patch("PlatformProject", "unborn", { metadata: { annotations: { "example.com/filler": null } } });
    await env.waitFor("PlatformProject", "unborn", { status: "True" });
    for (const name of [...CROWD, "unborn"]) await env.remove("PlatformProject", name);
    for (const name of [...CROWD, "unborn"]) await env.waitGone("PlatformProject", name);
    expect(names()).toEqual(["good"]);
    figure(task, `${CROWD.length + 1} objects with full annotations, 0 others held up`, CROWD.length + 1);
  });

  it("have their backup again once there is room", async () => {
    await env.apply(project("again", DELETE));
    const made = await env.waitFor("PlatformProject", "again", { status: "True" });
    const id = made.metadata.annotations?.[EXTERNAL_ID];
    const none = Object.fromEntries(Object.keys(made.metadata.annotations ?? {}).map((key) => [key, null]));
    const record = await env.record();
    // The change of the spec shows that the operator has looked at the object as it is now.
    await env.patch("PlatformProject", "again", {
      metadata: { annotations: { ...none, ...FILLER } },
      spec: { description: "crowded" },
    });
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
    await env.patch("PlatformProject", "again", { metadata: { annotations: { "example.com/filler": null } } });
    const { metadata } = await env.waitFor(
      "PlatformProject",
      "again",
      (one) => EXTERNAL_ID in (one.metadata.annotations ?? {}),
    );
    expect(metadata.annotations?.[EXTERNAL_ID]).toBe(id);
  });
});
