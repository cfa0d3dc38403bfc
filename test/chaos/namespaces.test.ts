/** Deletes namespaces by the real kube-controller-manager, and single objects in orders that it would not choose. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { collectionPath, EVENT } from "../../src/kube/api/paths.ts";
import { listAll } from "../../src/kube/watch/list.ts";
import { idOf } from "../support/env/settling.ts";
import { application, connection, defaults, environment, project, secret, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import { inventory } from "./lifecycle/invariants.ts";

type Policy = "Retain" | "Delete";

const TREE = ["PlatformProject", "PlatformEnvironment", "PlatformApplication"] as const;
const POLL = { timeout: 60_000, interval: 100 };
const lifecycle = (deletionPolicy: Policy) => ({ lifecycle: { deletionPolicy } });

const request = ({ client, namespace }: ChaosEnv, method: "DELETE" | "GET") =>
  client.request({ method, path: `/api/v1/namespaces/${namespace}` });

/** Waits until the namespace is gone. @returns the seconds */
async function namespaceGone(env: ChaosEnv): Promise<number> {
  const since = performance.now();
  await vi.waitFor(() => expect(request(env, "GET")).rejects.toMatchObject({ failure: "NotFound" }), POLL);
  return Math.ceil((performance.now() - since) / 1_000);
}

/** Returns the platform's objects of a tree. */
const objectsOf = (name: string): readonly string[] => [`environment ${name}`, `project ${name}`, `service ${name}`];

/** Returns the Orphaned events in the operator's namespace. */
async function orphanEvents({ client, operatorNamespace }: ChaosEnv): Promise<readonly string[]> {
  const { objects } = await listAll(client, EVENT, collectionPath(EVENT, operatorNamespace));
  return objects.map((event) => JSON.stringify(event)).filter((event) => event.includes('"Orphaned"'));
}

/** Orders in which a user or another controller deletes the objects. */
const orders: readonly (readonly [name: string, order: readonly string[]])[] = [
  ["secret-first", ["Secret", ...TREE, "PlatformConnection"]],
  ["connection-first", ["PlatformConnection", "Secret", ...TREE]],
  ["parents-first", [...TREE, "PlatformConnection", "Secret"]],
];
const rows = orders.flatMap(([name, order]) =>
  (["Delete", "Retain"] as const).map((policy) => ({ name: `${name}-${policy.toLowerCase()}`, policy, order })),
);

/** The tests of one environment run in sequence, the environments in parallel. */
const inSequence = { concurrent: false } as const;

describe.concurrent.each(["full", "documented"] as const)("a deletion on the %s surface", (surface) => {
  let env: ChaosEnv;

  beforeAll(async () => {
    env = await openChaosEnv({ surface });
    const kept = tree(env, "kept", lifecycle("Retain"));
    const ended = tree(env, "ended", lifecycle("Delete"));
    const others = rows.flatMap(({ name, policy }) => {
      const spec = { ...lifecycle(policy), connectionRef: { name } };
      const link = [secret(name, { token: env.platform.tokens.admin }), connection(env, name)];
      return [...link, project(name, spec), environment(env, name, name, spec), application(name, name, spec)];
    });
    await env.ready(...defaults(env), ...kept, ...ended, ...others);
  });
  afterAll(() => env[Symbol.asyncDispose]());

  it("[B14] of objects that depend on each other ends in any order", inSequence, async ({ task }) => {
    for (const { name, order } of rows) for (const kind of order) await env.remove(kind, name);
    for (const { name } of rows) for (const kind of TREE) await env.waitGone(kind, name);
    const isDeleted = ({ policy }: (typeof rows)[number]): boolean => surface === "full" && policy === "Delete";
    const kept = ["kept", "ended", ...rows.filter((row) => !isDeleted(row)).map(({ name }) => name)];
    await vi.waitFor(() => expect(inventory(env)).toEqual(kept.flatMap(objectsOf).toSorted()), POLL);
    figure(task, "0 objects stuck", rows.length);
  });

  it("[B13] of a namespace ends, and deletes only the objects under Delete", inSequence, async ({ task }) => {
    const before = inventory(env);
    await request(env, "DELETE");
    const seconds = await namespaceGone(env);
    const kept = surface === "full" ? before.filter((line) => !objectsOf("ended").includes(line)) : before;
    expect(inventory(env)).toEqual(kept);
    figure(task, `empty after ${seconds} s`);
  });
});

describe.concurrent("a namespace whose Secret is deleted before the operator starts again", () => {
  it("[B13] is deleted, and events in the operator's namespace name the objects that stay on the platform", async ({
    task,
  }) => {
    await using env = await openChaosEnv({ surface: "full", windows: { releaseMs: 300 } });
    await env.ready(...defaults(env), ...tree(env, "shop", lifecycle("Delete")));
    const ids = await Promise.all(TREE.map(async (kind) => idOf(await env.get(kind, "shop"))));
    await env.kill();
    await request(env, "DELETE");
    await env.waitGone("Secret", "default");
    await env.start();
    const seconds = await namespaceGone(env);
    expect(inventory(env)).toEqual(objectsOf("shop"));
    await vi.waitFor(async () => {
      const events = await orphanEvents(env);
      expect(events).toHaveLength(3);
      for (const id of ids) expect(events).toContainEqual(expect.stringContaining(`keeps the object ${id}`));
    }, POLL);
    figure(task, `empty after ${seconds} s, 3 warnings name the orphans`);
  });
});
