/** Namespaces that end, by the real kube-controller-manager and in orders that it would not choose. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { isKube } from "../../src/kube/api/errors.ts";
import { collectionPath, EVENT } from "../../src/kube/api/paths.ts";
import { listAll } from "../../src/kube/watch/list.ts";
import { idOf } from "../support/env/settling.ts";
import { application, connection, defaults, environment, project, secret, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";

type Policy = "Retain" | "Delete";

const TREE = ["PlatformProject", "PlatformEnvironment", "PlatformApplication"] as const;
const soon = { timeout: 60_000, interval: 100 };
const lifecycle = (deletionPolicy: Policy) => ({ lifecycle: { deletionPolicy } });

async function deleteNamespace(env: ChaosEnv): Promise<void> {
  await env.client.request({ method: "DELETE", path: `/api/v1/namespaces/${env.namespace}` });
}

/** @returns after how many seconds the namespace was gone */
async function emptied(env: ChaosEnv): Promise<number> {
  const since = performance.now();
  await vi.waitFor(async () => {
    const read = env.client.request({ method: "GET", path: `/api/v1/namespaces/${env.namespace}` });
    const isGone = await read.then(
      () => false,
      (error: unknown) => isKube(error, "NotFound"),
    );
    if (!isGone) throw new Error(`namespace ${env.namespace} is still there`);
  }, soon);
  return Math.ceil((performance.now() - since) / 1_000);
}

/** What a tree is on the platform. */
const parts = (name: string): readonly string[] => [`environment ${name}`, `project ${name}`, `service ${name}`];

/** What the platform has. */
function left({ platform }: ChaosEnv): readonly string[] {
  const { projects, environments, services } = platform.world();
  const names = (what: string, records: Iterable<{ readonly name: string }>): readonly string[] =>
    [...records].map(({ name }) => `${what} ${name}`);
  return [
    ...names("project", projects.values()),
    ...names("environment", environments.values()),
    ...names("service", services.values()),
  ].toSorted();
}

/** The events in the operator's own namespace that say that something stays. */
async function told({ client, operatorNamespace }: ChaosEnv): Promise<readonly string[]> {
  const { objects } = await listAll(client, EVENT, collectionPath(EVENT, operatorNamespace));
  return objects.map((event) => JSON.stringify(event)).filter((event) => event.includes('"Orphaned"'));
}

/** In which order a person, or another controller, takes things away. */
const orders: readonly (readonly [name: string, order: readonly string[]])[] = [
  ["secret-first", ["Secret", ...TREE, "PlatformConnection"]],
  ["connection-first", ["PlatformConnection", "Secret", ...TREE]],
  ["parents-first", [...TREE, "PlatformConnection", "Secret"]],
];
const policies = ["Delete", "Retain"] as const;
const rows = orders.flatMap(([name, order]) =>
  policies.map((policy) => ({ name: `${name}-${policy.toLowerCase()}`, policy, order })),
);

/** The orders on the documented surface are deletion.test.ts's as well. */
const surfaces = ["full", "documented"] as const;

/** The tests of one bed follow each other, the beds do not. */
const inOrder = { concurrent: false } as const;

describe.concurrent.each(surfaces)("on the %s surface", (surface) => {
  let env: ChaosEnv;

  beforeAll(async () => {
    env = await openChaosEnv({ surface });
    await env.apply(
      ...defaults(env),
      ...tree(env, "kept", lifecycle("Retain")),
      ...tree(env, "ended", lifecycle("Delete")),
    );
    for (const { name, policy } of rows) {
      const spec = { ...lifecycle(policy), connectionRef: { name } };
      await env.apply(secret(name, { token: env.platform.tokens.admin }), connection(env, name));
      await env.apply(project(name, spec), environment(env, name, name, spec), application(name, name, spec));
    }
    for (const name of ["kept", "ended", ...rows.map((row) => row.name)])
      await env.waitFor("PlatformApplication", name, { status: "True" }, 60_000);
  });
  afterAll(async () => {
    await env[Symbol.asyncDispose]();
  });

  it("[B14] what depends on each other never hangs, whatever goes first", inOrder, async ({ task }) => {
    for (const { name, order } of rows) for (const kind of order) await env.remove(kind, name);
    for (const { name } of rows) for (const kind of TREE) await env.waitGone(kind, name, 60_000);
    const isGone = ({ policy }: (typeof rows)[number]): boolean => surface === "full" && policy === "Delete";
    const stay = ["kept", "ended", ...rows.filter((row) => !isGone(row)).map(({ name }) => name)];
    await vi.waitFor(() => {
      expect(left(env)).toEqual(stay.flatMap(parts).toSorted());
    }, soon);
    figure(task, "0 objects stuck", rows.length);
  });

  it(
    "[B13] the namespace ends with all that is in it, as the real controller deletes it",
    inOrder,
    async ({ task }) => {
      const before = left(env);
      await deleteNamespace(env);
      const seconds = await emptied(env);
      const stay = surface === "full" ? before.filter((one) => !parts("ended").includes(one)) : before;
      expect(left(env)).toEqual(stay);
      figure(task, `empty after ${seconds} s`);
    },
  );
});

describe.concurrent("after a restart without the Secret", () => {
  it("[B13] the namespace ends, and warnings elsewhere name what stays", async ({ task }) => {
    await using env = await openChaosEnv({ surface: "full", windows: { releaseMs: 300 } });
    await env.apply(...defaults(env), ...tree(env, "shop", lifecycle("Delete")));
    await env.waitFor("PlatformApplication", "shop", { status: "True" }, 60_000);
    const ids = await Promise.all(TREE.map(async (kind) => idOf(await env.get(kind, "shop"))));
    await env.kill();
    await deleteNamespace(env);
    await vi.waitFor(async () => {
      expect(await env.find("Secret", "default")).toBeUndefined();
    }, soon);
    await env.start();
    const seconds = await emptied(env);
    expect(left(env)).toEqual(parts("shop"));
    await vi.waitFor(async () => {
      const events = await told(env);
      expect(events).toHaveLength(3);
      for (const id of ids) expect(events.some((event) => event.includes(`keeps the object ${id}`))).toBe(true);
    }, soon);
    figure(task, `empty after ${seconds} s, 3 warnings name what stays`);
  });
});
