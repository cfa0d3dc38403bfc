/** Annotations that leave no room for the operator's own ones (docs/reliability.md E16). */
import { describe, expect, it } from "vitest";

import { condition } from "../support/env/cluster.ts";
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

  it("[E16] block no other object, report the problem, and can be deleted", async ({ task }) => {
    await env.ready(...defaults(env, { surface: "Full" }), ...CROWD.map((name) => project(name, DELETE)));
    await env.settled();
    for (const name of CROWD) {
      const { annotations = {} } = (await env.get("PlatformProject", name)).metadata;
      const none = Object.fromEntries(Object.keys(annotations).map((key) => [key, null]));
      await env.annotate("PlatformProject", name, { ...none, ...FILLER });
    }
    const uncreated = project("uncreated", DELETE);
    await env.apply({ ...uncreated, metadata: { ...uncreated.metadata, annotations: FILLER } });
    await env.ready(project("good"));
    const full = await env.waitFor("PlatformProject", "uncreated", { status: "False" });
    expect(condition(full, "Ready")?.message).toContain("annotations");
    // It continues as soon as there is room again.
    await env.annotate("PlatformProject", "uncreated", { "example.com/filler": null });
    await env.waitFor("PlatformProject", "uncreated", { status: "True" });
    await env.delete(...[...CROWD, "uncreated"].map((name) => project(name)));
    expect([...env.platform.world().projects.values()].map(({ name }) => name)).toEqual(["good"]);
    figure(task, `${CROWD.length + 1} objects with full annotations, 0 others blocked`, CROWD.length + 1);
  });
});
