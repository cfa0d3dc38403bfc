import { beforeAll, describe, expect, it, vi } from "vitest";

import { FINALIZER } from "../../src/api/names.ts";
import { condition, PATIENCE_MS } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { eventsOf, expectSettled, TREE } from "../support/env/settling.ts";
import { application, defaults, environment, project, tree } from "../support/kube/manifests.ts";

async function gone(env: Env, name: string): Promise<void> {
  for (const kind of TREE) await env.waitGone(kind, name);
}

/** What is left on the platform of that name, the application with its state. */
function left(env: Env, name: string): readonly string[] {
  const { projects, environments, services } = env.platform.world();
  const of = (what: string, records: Iterable<{ readonly name: string }>): readonly string[] =>
    [...records].filter((record) => record.name === name).map(() => what);
  const states = [...services.values()]
    .filter((service) => service.name === name)
    .map(({ state }) => `application ${state}`);
  return [...of("project", projects.values()), ...of("environment", environments.values()), ...states];
}

/** In which order a person deletes. */
const orders: readonly (readonly [what: string, order: readonly string[]])[] = [
  ["the project first", ["PlatformProject", "PlatformEnvironment", "PlatformApplication"]],
  ["the environment first", ["PlatformEnvironment", "PlatformApplication", "PlatformProject"]],
  ["the application first", ["PlatformApplication", "PlatformEnvironment", "PlatformProject"]],
];

const existing = ["project", "environment", "application DEPLOYED"];
const stopped = ["project", "environment", "application STOPPED"];

const worlds = [
  {
    surface: "full",
    // What is left on the platform after each policy of the application; parents delete where they can.
    left: { Retain: existing, Delete: [], Stop: stopped },
    changes: {
      Retain: [],
      Delete: ["deleteApplication", "deleteEnvironment", "deleteProject"],
      Stop: ["stopApplication"],
    },
    // Reason and text of the event that an object under policy Delete ends with.
    end: ["Deleted", "^Normal KIND: The platform does not have the object "],
  },
  {
    surface: "documented",
    left: { Retain: existing, Delete: existing, Stop: existing },
    changes: { Retain: [], Delete: [], Stop: [] },
    end: ["Orphaned", "^Warning KIND: The platform keeps the object .*no deletion of"],
  },
] as const;

describe.each(effort.few(worlds))("the deletion of a tree of resources, $surface surface", (harness) => {
  const { surface } = harness;
  const env = createEnv({ surface });

  beforeAll(async () => {
    await env.apply(...defaults(env));
  });

  const rows = (["Retain", "Delete", "Stop"] as const).flatMap((policy) =>
    orders.map(([what, order], index) => ({ policy, what, order, name: `${policy.toLowerCase()}-${index}` })),
  );

  /** A tree whose application has the policy; Stop is for services alone. */
  const standing = async (name: string, policy: "Retain" | "Delete" | "Stop"): Promise<void> => {
    const parents = { lifecycle: { deletionPolicy: policy === "Stop" ? "Retain" : policy } };
    const service = { lifecycle: { deletionPolicy: policy } };
    await env.apply(project(name, parents), environment(env, name, name, parents), application(name, name, service));
    await expectSettled(env, name);
    const object = await env.get("PlatformApplication", name);
    expect(object.metadata.finalizers ?? []).toEqual(policy === "Retain" ? [] : [FINALIZER]);
  };

  it.each(rows)("[B14] ends, and leaves what policy $policy keeps on the platform: $what", async (row) => {
    const { policy, order, name } = row;
    await standing(name, policy);
    const record = await env.record();
    for (const kind of order) await env.remove(kind, name);
    await gone(env, name);
    // What the platform does not have is tried once, by whichever test comes first.
    expect(record.changeCalls().flatMap(({ operation }) => operation ?? [])).toEqual(harness.changes[policy]);
    await vi.waitFor(() => expect(left(env, name)).toEqual(harness.left[policy]));
  });

  it.each([
    ["all at once", false],
    ["all at once, the connection and its Secret before them", true],
  ] as const)("[B14] deletes what the platform can delete under policy Delete: %s", async (_, alone) => {
    const name = alone ? "namespace" : "at-once";
    await standing(name, "Delete");
    const record = await env.record();
    if (alone) {
      await env.remove("Secret", "default");
      await env.remove("PlatformConnection", "default");
    }
    await env.delete(...tree(env, name));
    expect(record.changes()).toEqual(harness.changes.Delete);
    expect(left(env, name)).toEqual(harness.left.Delete);
    if (alone) await env.apply(...defaults(env));
  });

  it("[B14] reports which children a parent waits for, and what became of the object of each resource", async () => {
    const name = "waiting";
    await standing(name, "Delete");
    // Somebody else's finalizer keeps the child.
    await env.patch("PlatformApplication", name, { metadata: { finalizers: ["example.com/keep", FINALIZER] } });
    for (const kind of orders[0]?.[1] ?? []) await env.remove(kind, name);
    const waiting = await env.waitFor("PlatformEnvironment", name, { reason: "WaitingForChildren" });
    expect(condition(waiting, "Ready")?.message).toBe(
      `Waiting for resources under this one to be deleted: PlatformApplication "${name}".`,
    );
    expect(condition(waiting, "Reconciling")).toMatchObject({ status: "True" });
    await env.waitFor("PlatformProject", name, { reason: "WaitingForChildren" });
    const kept = await env.waitFor(
      "PlatformApplication",
      name,
      ({ metadata: { finalizers } }) => finalizers?.includes(FINALIZER) === false,
    );
    expect(kept.metadata.finalizers).toEqual(["example.com/keep"]);
    await env.patch("PlatformApplication", name, { metadata: { finalizers: null } });
    await gone(env, name);
    const [reason, text] = harness.end;
    const events = TREE.map((kind): unknown => expect.stringMatching(text.replace("KIND", kind)));
    await vi.waitFor(async () => expect(await eventsOf(env, name, reason)).toEqual(events), PATIENCE_MS);
  });
});
