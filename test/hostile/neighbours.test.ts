/** A hostile resource that every schema accepts stalls itself, and no other resource of its kind. */
import { beforeAll, describe, expect, it } from "vitest";

import { GROUP } from "../../src/api/names.ts";
import { SAMPLES } from "../samples/index.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { defaults, project, secret } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";

/** The time limit for each good resource, from its creation until Ready. */
const DEADLINE_S = 5;
/** Hostile annotations: no schema restricts them. */
const ANNOTATIONS = {
  [`${GROUP}/intent`]: `{"v":1,"mark":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
  [`${GROUP}/external-id`]: "../../organization",
  [`${GROUP}/poll-interval`]: "1e400h",
  [`${GROUP}/reconcile-requested-at`]: "\u202E".repeat(5_000),
  [`${GROUP}/approved-plan`]: "constructor",
  [`${GROUP}/installation`]: "",
};

/** More than there are workers. */
const CROWD = Array.from({ length: 12 }, (_, index) => `crowded-${index}`);
const DELETE = { lifecycle: { deletionPolicy: "Delete" } };
/** Fills the API server's limit of annotations but for a few bytes. */
const FILLER = { "example.com/filler": "x".repeat(256 * 1_024 - 80) };

describe("hostile resources that every schema accepts", () => {
  const env = createEnv({ surface: "full" });
  const each = Object.entries(SAMPLES).filter(([kind]) => kind !== "ClusterPlatformConnection");

  beforeAll(async () => {
    await env.ready(...defaults(env, { surface: "Full" }), secret("bad", { token: "not-a-real-token" }));
  });

  it("[E16] whose annotations are full block no other object, report the problem, and can be deleted", async ({
    task,
  }) => {
    await env.ready(...CROWD.map((name) => project(name, DELETE)));
    await env.settled();
    for (const name of CROWD) {
      const { annotations = {} } = (await env.get("PlatformProject", name)).metadata;
      const none = Object.fromEntries(Object.keys(annotations).map((key) => [key, null]));
      await env.annotate("PlatformProject", name, { ...none, ...FILLER });
    }
    const uncreated = project("uncreated", DELETE);
    await env.apply({ ...uncreated, metadata: { ...uncreated.metadata, annotations: FILLER } });
    await env.ready(project("beside"));
    const full = await env.waitFor("PlatformProject", "uncreated", { status: "False" });
    expect(condition(full, "Ready")?.message).toContain("annotations");
    // It continues as soon as there is room again.
    await env.annotate("PlatformProject", "uncreated", { "example.com/filler": null });
    await env.waitFor("PlatformProject", "uncreated", { status: "True" });
    await env.delete(...[...CROWD, "uncreated"].map((name) => project(name)));
    expect([...env.platform.world().projects.values()].map(({ name }) => name)).toEqual(["beside"]);
    figure(task, `${CROWD.length + 1} objects with full annotations, 0 others blocked`, CROWD.length + 1);
  });

  it("[E16] of each kind do not keep a good resource of the kind from becoming Ready", async ({ task }) => {
    const hostile = each.map(([, sample]) => sample.hostile({ env, name: "bad", tree: "good" }));
    const bad = [...hostile, project("with-bad-connection", { connectionRef: { name: "bad" } })];
    await env.apply(...bad.map((one) => ({ ...one, metadata: { ...one.metadata, annotations: ANNOTATIONS } })));
    for (const { kind, metadata } of bad) {
      const refused = await env.waitFor(kind, metadata.name, { status: "False" });
      expect(condition(refused, "Ready")?.reason, kind).not.toBe("InternalError");
    }
    let longest = 0;
    // Each is created after the hostile ones.
    for (const [, sample] of each) {
      const one = sample.good({ env, name: "good", tree: "good" });
      const appliedAt = performance.now();
      await env.apply(one);
      await env.waitFor(one.kind, "good", { status: "True" });
      const took = (performance.now() - appliedAt) / 1_000;
      expect(took, one.kind).toBeLessThan(DEADLINE_S);
      longest = Math.max(longest, took);
    }
    const done = `a good one of each done after ${longest.toFixed(1)} s at most`;
    figure(task, `${bad.length} hostile resources of ${each.length} kinds; ${done}`, bad.length);
  });
});
