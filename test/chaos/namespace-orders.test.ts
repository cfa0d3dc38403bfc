/**
 * Deletes the objects of a terminating namespace in orders that the namespace controller would not choose. The control
 * plane of this file has no kube-controller-manager, so the test itself empties and finalizes the namespace.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { RESOURCES } from "../../src/kinds/index.ts";
import { collectionPath, EVENT, NAMESPACE, objectPath } from "../../src/kube/api/paths.ts";
import { listAll } from "../../src/kube/watch/list.ts";
import { type Cluster, cluster, type Manifest } from "../support/env/cluster.ts";
import { ownControlPlane } from "../support/env/own-control-plane.ts";
import { database, defaults, project, resource, secret, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import { holdings } from "./holdings.ts";
import { changesSince } from "./stale-cache.ts";

const DELETE = { lifecycle: { deletionPolicy: "Delete" } };
const PARENTS_FIRST = [
  "PlatformProject",
  "PlatformEnvironment",
  "PlatformApplication",
  "PlatformDatabase",
  "PlatformVariableSet",
  "PlatformWebhook",
] as const;
const CHILDREN_FIRST = PARENTS_FIRST.toReversed();
const TIMEOUT_MS = 60_000;
const POLL = { timeout: TIMEOUT_MS, interval: 200 };

interface DeletionOrder {
  readonly name: string;
  /** Deletes the objects of the namespace; `remove` deletes all of a kind without waiting. */
  readonly run: (remove: (kind: string) => Promise<void>, namespace: Cluster) => Promise<void>;
  /** Expected events besides those in DELETED_EVENTS. */
  readonly events?: readonly string[];
}

const orders: readonly DeletionOrder[] = [
  {
    name: "secret-first",
    run: async (remove, namespace) => {
      await remove("Secret");
      await namespace.waitFor("PlatformConnection", "default", { reason: "CredentialsMissing" }, TIMEOUT_MS);
      await remove("PlatformConnection");
      await remove("PlatformProject");
      await namespace.waitFor("PlatformProject", "secret-first", { reason: "WaitingForChildren" }, TIMEOUT_MS);
      for (const kind of PARENTS_FIRST.slice(1)) await remove(kind);
    },
    events: ["Warning PlatformConnection CredentialsMissing", "Normal PlatformProject WaitingForChildren"],
  },
  {
    name: "connection-first",
    run: async (remove) => {
      for (const kind of ["PlatformConnection", "Secret", ...CHILDREN_FIRST]) await remove(kind);
    },
  },
  {
    name: "all-at-once",
    run: async (remove) => {
      await Promise.all([...CHILDREN_FIRST, "PlatformConnection", "Secret"].map(remove));
    },
  },
];
const DELETED_EVENTS = PARENTS_FIRST.map((kind) => `Normal ${kind} Deleted`).toSorted();

/** Returns one object of each kind in PARENTS_FIRST under Delete; one reads a Secret. */
function deletedObjects(env: ChaosEnv, name: string): readonly Manifest[] {
  return [
    ...tree(env, name, DELETE),
    database(`${name}-data`, name, DELETE),
    resource("PlatformVariableSet", name, {
      targets: [{ applicationRef: { name } }],
      variables: [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: "values", key: "password" } } }],
      ...DELETE,
    }),
    resource("PlatformWebhook", name, {
      targetUrl: `https://hooks.example.com/${name}`,
      events: ["DEPLOYMENT_STARTED"],
      ...DELETE,
    }),
  ];
}

const Event = z.object({
  type: z.string(),
  reason: z.string(),
  regarding: z.object({ kind: z.string(), namespace: z.string() }),
});

/** Returns the events stored in one namespace about objects of another, e.g. "Normal PlatformProject Deleted". */
async function eventsIn(stored: string, { client }: ChaosEnv, namespace: string): Promise<readonly string[]> {
  const { objects } = await listAll(client, EVENT, collectionPath(EVENT, stored));
  return objects
    .map((event) => Event.parse(event))
    .filter(({ regarding }) => regarding.namespace === namespace)
    .map(({ type, reason, regarding }) => `${type} ${regarding.kind} ${reason}`)
    .toSorted();
}

const isDeletedEvent = (event: string): boolean => event.endsWith(" Deleted");

/** Counts the log lines about events that were moved to the operator's namespace. */
function loggedMoves(env: ChaosEnv, namespace: string): number {
  const message = "the namespace is being terminated: its event is in the operator's";
  return env.logs().filter((line) => line.message === message && line["namespace"] === namespace).length;
}

/** Returns the metric for all namespaces. */
async function countedMoves({ operator }: ChaosEnv): Promise<number> {
  const metrics = await (await fetch(`${operator.metricsUrl}/metrics`)).text();
  return Number(/^platform_operator_events_moved_total (\d+)$/m.exec(metrics)?.[1]);
}

const pathOf = (name: string): string => objectPath(NAMESPACE, { namespace: "", name });

/** Finalizes an empty namespace, as the namespace controller does. */
async function finalize({ client }: ChaosEnv, name: string): Promise<void> {
  await client.request({ method: "DELETE", path: collectionPath(EVENT, name) });
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name }, spec: { finalizers: [] } };
  await client.request({ method: "PUT", path: `${pathOf(name)}/finalize`, body });
  await expect(client.request({ method: "GET", path: pathOf(name) })).rejects.toMatchObject({ failure: "NotFound" });
}

const controlPlane = await ownControlPlane({ auditLog: false });

describe("a namespace that is being terminated", () => {
  let env: ChaosEnv;
  const at = (namespace: string): Cluster => cluster(() => env.client, namespace);

  beforeAll(async () => {
    // Watches all namespaces: the last flag takes precedence.
    env = await openChaosEnv({ surface: "full", controlPlane, args: ["--leader-elect=false", "--watch-namespaces="] });
    await env.apply(...defaults(env), ...tree(env, "neighbour", DELETE));
    for (const [index, { name }] of orders.entries()) {
      await env.client.request({ method: "POST", path: collectionPath(NAMESPACE), body: { metadata: { name } } });
      const values = secret("values", { password: "not-a-password" });
      await at(name).apply(values, ...defaults(env), project(`retained-${index}`), ...deletedObjects(env, name));
    }
    await env.waitFor("PlatformApplication", "neighbour", { status: "True" }, TIMEOUT_MS);
    for (const [index, { name }] of orders.entries()) {
      for (const { kind, metadata } of [project(`retained-${index}`), ...deletedObjects(env, name)])
        await at(name).waitFor(kind, metadata.name, { status: "True" }, TIMEOUT_MS);
    }
  }, 300_000);
  afterAll(() => env[Symbol.asyncDispose]());

  it.for(orders)("[B13] in the order $name deletes only what is under Delete", async (order, { task }) => {
    const { name, run, events: expected = [] } = order;
    const namespace = at(name);
    const since = env.calls.length;
    const before = holdings(env.platform.world());
    const kept = before.filter((line) => !line.includes(name));
    expect(before).toHaveLength(kept.length + PARENTS_FIRST.length);
    await env.client.request({ method: "DELETE", path: pathOf(name) });
    const refused = { failure: "Forbidden", status: 403, causes: ["NamespaceTerminating"] };
    await expect(namespace.apply(project("late"))).rejects.toMatchObject(refused);

    const from = performance.now();
    await run(async (kind) => {
      const objects = await namespace.list(kind);
      await Promise.all(objects.map(({ metadata }) => namespace.remove(kind, metadata.name)));
    }, namespace);
    const kinds = RESOURCES.filter(({ scope }) => scope === "Namespaced").map(({ kind }) => kind);
    await vi.waitFor(async () => {
      const left = (await Promise.all(kinds.map((kind) => namespace.list(kind)))).flat();
      expect(left.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
    }, POLL);
    const seconds = Math.ceil((performance.now() - from) / 1_000);

    expect(holdings(env.platform.world())).toEqual(kept);
    expect(changesSince(env, since).filter((change) => !change.startsWith("delete"))).toEqual([]);
    await vi.waitFor(async () => {
      const events = await eventsIn(env.operatorNamespace, env, name);
      expect(events.filter(isDeletedEvent)).toEqual(DELETED_EVENTS);
      expect(events).toEqual(expect.arrayContaining([...expected]));
      expect(loggedMoves(env, name)).toBe(events.length);
      expect(await countedMoves(env)).toBe(orders.reduce((sum, { name }) => sum + loggedMoves(env, name), 0));
    }, POLL);
    expect((await eventsIn(name, env, name)).filter(isDeletedEvent)).toEqual([]);
    await finalize(env, name);
    figure(task, `empty after ${seconds} s, all events in the operator's namespace`);
  });
});
