/** Creates the objects of a benchmark, applications in environments of one project, and waits for them. */
import { setTimeout as sleep } from "node:timers/promises";

import { member, parseJson } from "../src/kube/api/json.ts";
import { keyOf, parseObject } from "../src/kube/api/objects.ts";
import { collectionPath, objectPath, SECRET } from "../src/kube/api/paths.ts";
import type { JsonObject, KubeObject, ResourceType } from "../src/kube/api/types.ts";
import { lines } from "../src/kube/watch/watch-event.ts";
import { condition } from "../test/support/env/cluster.ts";
import { ORGANIZATION, type Rig, TOKEN } from "./rig.ts";

/** The number of concurrent requests of the driver. */
const CONCURRENCY = 16;
const ENVIRONMENTS = 10;
/** The time for a phase: five minutes, and more for each object than any subject needs on a slow machine. */
const timeoutMs = (objects: number): number => 300_000 + 200 * objects;
/** The timeout of a request that deletes all objects. */
const DELETE_MS = 300_000;
/** How often deleted applications are counted. */
const GONE_EVERY_MS = 250;

const group = "platform-operator.io";
const version = "v1alpha1";
const type = (kind: string, plural: string): ResourceType => ({ group, version, kind, plural, namespaced: true });
const CONNECTION = type("PlatformConnection", "platformconnections");
const PROJECT = type("PlatformProject", "platformprojects");
const ENVIRONMENT = type("PlatformEnvironment", "platformenvironments");
const APPLICATION = type("PlatformApplication", "platformapplications");

/** A budget that no scenario reaches. */
export const UNLIMITED: JsonObject = { requestsPerSecond: 1_000, burst: 1_000 };

/**
 * Creates a namespace with a connection, a project and environments. The operator must be running.
 * @param rateLimit the connection's spec.rateLimit; absent by default
 */
export async function prepare(rig: Rig, namespace: string, rateLimit: JsonObject | undefined): Promise<void> {
  const create = creator(rig, namespace);
  await rig.client.request({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
  await rig.client.request({
    method: "POST",
    path: collectionPath(SECRET, namespace),
    body: { metadata: { name: "token" }, stringData: { token: TOKEN } },
  });
  await create(CONNECTION, "default", {
    baseUrl: rig.platformUrl,
    organizationId: ORGANIZATION,
    auth: { tokenSecretRef: { name: "token" } },
    ...(rateLimit === undefined ? {} : { rateLimit }),
  });
  await create(PROJECT, "project", { name: namespace });
  const ready = whenReady(rig, ENVIRONMENT, namespace, { objects: ENVIRONMENTS, generation: 1 });
  for (let index = 0; index < ENVIRONMENTS; index += 1)
    await create(ENVIRONMENT, `environment-${String(index)}`, {
      name: `environment-${String(index)}`,
      projectRef: { name: "project" },
      mode: "STAGING",
      clusterRef: { externalId: rig.clusterId },
    });
  await ready;
}

/**
 * Creates applications, each with five variables and a commit to deploy. Resolves when all are Ready.
 * @param spec replaces members of their specs
 */
export async function createAll(rig: Rig, namespace: string, objects: number, spec: JsonObject = {}): Promise<void> {
  const create = creator(rig, namespace);
  // Both at once, so that the failure of either ends the wait.
  await Promise.all([
    whenReady(rig, APPLICATION, namespace, { objects, generation: 1 }),
    each(objects, (name) => create(APPLICATION, name, { ...applicationSpec(name), ...spec })),
  ]);
}

/** Gives each application another commit to deploy. Resolves when all are Ready. */
export async function redeployAll(rig: Rig, namespace: string, objects: number): Promise<void> {
  await Promise.all([
    whenReady(rig, APPLICATION, namespace, { objects, generation: 2 }),
    each(objects, async (name) => {
      const path = objectPath(APPLICATION, { namespace, name });
      const body = { spec: { deploy: { gitCommitId: "2".repeat(40) } } };
      await rig.client.request({ method: "PATCH", path, body });
    }),
  ]);
}

/** Gives one application another commit to deploy. @returns the time of the request, in milliseconds since 1970 */
export async function edit({ client }: Rig, namespace: string, name: string, gitCommitId: string): Promise<number> {
  const path = objectPath(APPLICATION, { namespace, name });
  const sentAt = Date.now();
  const body = { spec: { deploy: { gitCommitId } } };
  await client.request({ method: "PATCH", path, body });
  return sentAt;
}

/** Deletes the applications of a namespace. Resolves when the request is accepted: finalizers may keep them. */
export async function removeAll({ client }: Rig, namespace: string): Promise<void> {
  await client.request({ method: "DELETE", path: collectionPath(APPLICATION, namespace), timeoutMs: DELETE_MS });
}

/** Deletes the applications of a namespace. Resolves when there are none left. @throws Error after five minutes */
export async function deleteAll(rig: Rig, namespace: string): Promise<void> {
  const signal = AbortSignal.timeout(DELETE_MS);
  await removeAll(rig, namespace);
  for (;;) {
    const list = await rig.client.request({
      method: "GET",
      path: collectionPath(APPLICATION, namespace),
      query: { limit: 1 },
    });
    const items = member(list, "items");
    if (Array.isArray(items) && items.length === 0) return;
    signal.throwIfAborted();
    await sleep(GONE_EVERY_MS);
  }
}

function applicationSpec(name: string): JsonObject {
  const number = Number(name.split("-")[1]);
  return {
    environmentRef: { name: `environment-${String(number % ENVIRONMENTS)}` },
    name,
    gitRepository: { url: `https://github.com/acme/${name}.git`, branch: "main" },
    buildMode: "DOCKER",
    dockerfilePath: "Dockerfile",
    cpu: 500,
    memory: 512,
    minRunningInstances: 1,
    maxRunningInstances: 2,
    ports: [{ internalPort: 8_080, externalPort: 443, protocol: "HTTP", publiclyAccessible: true }],
    variables: ["A", "B", "C", "D", "E"].map((variable) => ({ name: variable, value: `${variable} of ${name}` })),
    deploy: { gitCommitId: "1".repeat(40) },
  };
}

function creator({ client }: Rig, namespace: string) {
  return async (of: ResourceType, name: string, spec: JsonObject): Promise<void> => {
    const body = { apiVersion: `${group}/${version}`, kind: of.kind, metadata: { name, namespace }, spec };
    await client.request({ method: "POST", path: collectionPath(of, namespace), body });
  };
}

async function each(objects: number, work: (name: string) => Promise<void>): Promise<void> {
  const names = Array.from({ length: objects }, (_, index) => `app-${String(index)}`).values();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const name of names) await work(name);
    }),
  );
}

/** Resolves when that number of objects is Ready at that generation. @throws Error after `timeoutMs` */
async function whenReady(
  rig: Rig,
  of: ResourceType,
  namespace: string,
  wanted: { readonly objects: number; readonly generation: number },
): Promise<void> {
  const ready = new Set<string>();
  const signal = AbortSignal.timeout(timeoutMs(wanted.objects));
  // The API server ends a watch that is read too slowly.
  while (!signal.aborted && ready.size < wanted.objects)
    await watchReady(rig, of, namespace, { ...wanted, ready, signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  if (ready.size < wanted.objects)
    throw new Error(`${String(ready.size)} of ${String(wanted.objects)} ${of.plural} are Ready`);
}

/** Collects the Ready objects of a watch, until there are enough or the watch ends. */
async function watchReady(
  { client }: Rig,
  of: ResourceType,
  namespace: string,
  until: {
    readonly objects: number;
    readonly generation: number;
    readonly ready: Set<string>;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { generation, objects, ready, signal } = until;
  const initial = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", resourceVersion: "0" };
  const query = { watch: true, allowWatchBookmarks: true, ...initial };
  const chunks = client.stream({ path: collectionPath(of, namespace), query, signal });
  for await (const line of lines(chunks, () => {})) {
    const object = parseObject(of, member(parseJson(line), "object"));
    if (object !== undefined && isReady(object, generation)) ready.add(keyOf(object).name);
    if (ready.size >= objects) return;
  }
}

function isReady(object: KubeObject, generation: number): boolean {
  const found = condition(object, "Ready");
  return found?.status === "True" && found.observedGeneration >= generation;
}
