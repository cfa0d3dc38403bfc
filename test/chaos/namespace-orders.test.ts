/**
 * Namespaces that end in orders which no controller would choose. The control plane of this file has no
 * kube-controller-manager: a namespace that is deleted there takes nothing new, and empties as the test has it.
 */
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { RESOURCES } from "../../src/kinds/index.ts";
import { collectionPath, EVENT, NAMESPACE, objectPath } from "../../src/kube/api/paths.ts";
import { listAll } from "../../src/kube/watch/list.ts";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { type Cluster, cluster, type Manifest } from "../support/env/cluster.ts";
import { database, defaults, project, resource, secret, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import { holdings } from "./holdings.ts";
import { changesSince } from "./past.ts";

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
/** Against hanging. */
const GUARD_MS = 60_000;
const soon = { timeout: GUARD_MS, interval: 200 };

interface Order {
  readonly name: string;
  /** Deletes in the namespace of that name; `remove` takes all of a kind and does not wait for its end. */
  readonly play: (remove: (kind: string) => Promise<void>, ending: Cluster) => Promise<void>;
  /** Events that there have to be besides those of the end. */
  readonly told: readonly string[];
}

const orders: readonly Order[] = [
  {
    name: "secret-first",
    play: async (remove, ending) => {
      await remove("Secret");
      await ending.waitFor("PlatformConnection", "default", { reason: "CredentialsMissing" }, GUARD_MS);
      await remove("PlatformConnection");
      await remove("PlatformProject");
      await ending.waitFor("PlatformProject", "secret-first", { reason: "WaitingForChildren" }, GUARD_MS);
      for (const kind of PARENTS_FIRST.slice(1)) await remove(kind);
    },
    told: ["Warning PlatformConnection CredentialsMissing", "Normal PlatformProject WaitingForChildren"],
  },
  {
    name: "connection-first",
    play: async (remove) => {
      for (const kind of ["PlatformConnection", "Secret", ...CHILDREN_FIRST]) await remove(kind);
    },
    told: [],
  },
  {
    name: "all-at-once",
    play: async (remove) => {
      await Promise.all([...CHILDREN_FIRST, "PlatformConnection", "Secret"].map(remove));
    },
    told: [],
  },
];
const ENDS = PARENTS_FIRST.map((kind) => `Normal ${kind} Deleted`).toSorted();

/** One of each of PARENTS_FIRST under Delete, with a value of a Secret in one. */
function doomed(env: ChaosEnv, name: string): readonly Manifest[] {
  return [
    ...tree(env, name, DELETE),
    database(`${name}-data`, name, DELETE),
    resource("PlatformVariableSet", name, {
      targets: [{ applicationRef: { name } }],
      variables: [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: "values", key: "password" } } }],
      ...DELETE,
    }),
    resource("PlatformWebhook", name, { targetUrl: `https://hooks.example.com/${name}`, events: ["A"], ...DELETE }),
  ];
}

const Event = z.object({
  type: z.string(),
  reason: z.string(),
  regarding: z.object({ kind: z.string(), namespace: z.string() }),
});

/** The events in `where` on objects of a namespace, e.g. "Normal PlatformProject Deleted". */
async function eventsIn(where: string, { client }: ChaosEnv, namespace: string): Promise<readonly string[]> {
  const { objects } = await listAll(client, EVENT, collectionPath(EVENT, where));
  return objects
    .map((event) => Event.parse(event))
    .filter(({ regarding }) => regarding.namespace === namespace)
    .map(({ type, reason, regarding }) => `${type} ${regarding.kind} ${reason}`)
    .toSorted();
}

const isEnd = (event: string): boolean => event.endsWith(" Deleted");

/** How many events of a namespace the log says to be in the operator's. */
function moved(env: ChaosEnv, namespace: string): number {
  const message = "the namespace is being terminated: its event is in the operator's";
  return env.logs().filter((line) => line.message === message && line["namespace"] === namespace).length;
}

/** How many of all namespaces the metric counts. */
async function counted({ operator }: ChaosEnv): Promise<number> {
  const metrics = await (await fetch(`${operator.metricsUrl}/metrics`)).text();
  return Number(/^platform_operator_events_moved_total (\d+)$/m.exec(metrics)?.[1]);
}

const pathOf = (name: string): string => objectPath(NAMESPACE, { namespace: "", name });

/** Ends an empty namespace for good, as its controller does at last. */
async function finalize({ client }: ChaosEnv, name: string): Promise<void> {
  await client.request({ method: "DELETE", path: collectionPath(EVENT, name) });
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name }, spec: { finalizers: [] } };
  await client.request({ method: "PUT", path: `${pathOf(name)}/finalize`, body });
  await expect(client.request({ method: "GET", path: pathOf(name) })).rejects.toMatchObject({ failure: "NotFound" });
}

describe("a namespace that is being terminated", () => {
  let controlPlane: ControlPlane;
  let env: ChaosEnv;
  const at = (namespace: string): Cluster => cluster(() => env.client, namespace);

  beforeAll(async () => {
    controlPlane = await startControlPlane({ crdsDir: join(import.meta.dirname, "../../crds"), auditLog: false });
    // The last flag wins: it watches all namespaces.
    env = await openChaosEnv({ surface: "full", controlPlane, args: ["--leader-elect=false", "--watch-namespaces="] });
    await env.apply(...defaults(env), ...tree(env, "neighbour", DELETE));
    for (const [index, { name }] of orders.entries()) {
      await env.client.request({ method: "POST", path: collectionPath(NAMESPACE), body: { metadata: { name } } });
      const values = secret("values", { password: "not-a-password" });
      await at(name).apply(values, ...defaults(env), project(`retained-${index}`), ...doomed(env, name));
    }
    await env.waitFor("PlatformApplication", "neighbour", { status: "True" }, GUARD_MS);
    for (const [index, { name }] of orders.entries()) {
      for (const { kind, metadata } of [project(`retained-${index}`), ...doomed(env, name)])
        await at(name).waitFor(kind, metadata.name, { status: "True" }, GUARD_MS);
    }
  }, 300_000);
  afterAll(async () => {
    await env[Symbol.asyncDispose]();
    await controlPlane.stop();
  });

  it.for(orders)("[B13] $name: all that is under Delete ends with it, and nothing else", async (order, { task }) => {
    const { name, play, told } = order;
    const ending = at(name);
    const since = env.calls.length;
    const before = holdings(env.platform.world());
    const stay = before.filter((line) => !line.includes(name));
    expect(before).toHaveLength(stay.length + PARENTS_FIRST.length);
    await env.client.request({ method: "DELETE", path: pathOf(name) });
    const refused = { failure: "Forbidden", status: 403, causes: ["NamespaceTerminating"] };
    await expect(ending.apply(project("late"))).rejects.toMatchObject(refused);

    const from = performance.now();
    await play(async (kind) => {
      const objects = await ending.list(kind);
      await Promise.all(objects.map(({ metadata }) => ending.remove(kind, metadata.name)));
    }, ending);
    const kinds = RESOURCES.filter(({ scope }) => scope === "Namespaced").map(({ kind }) => kind);
    await vi.waitFor(async () => {
      const left = (await Promise.all(kinds.map((kind) => ending.list(kind)))).flat();
      expect(left.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
    }, soon);
    const seconds = Math.ceil((performance.now() - from) / 1_000);

    expect(holdings(env.platform.world())).toEqual(stay);
    expect(changesSince(env, since).filter((change) => !change.startsWith("delete"))).toEqual([]);
    await vi.waitFor(async () => {
      const events = await eventsIn(env.operatorNamespace, env, name);
      expect(events.filter(isEnd)).toEqual(ENDS);
      expect(events).toEqual(expect.arrayContaining([...told]));
      expect(moved(env, name)).toBe(events.length);
      expect(await counted(env)).toBe(orders.reduce((sum, one) => sum + moved(env, one.name), 0));
    }, soon);
    expect((await eventsIn(name, env, name)).filter(isEnd)).toEqual([]);
    await finalize(env, name);
    figure(task, `empty after ${seconds} s, all events in the operator's namespace`);
  });
});
