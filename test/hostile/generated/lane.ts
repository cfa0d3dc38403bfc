/**
 * One kind on a stage: a seed object with all that it stands on, by a token of its own, so that its calls are known.
 */
import type { Surface } from "../../../simulator/base/operations.ts";
import { newCluster } from "../../../simulator/model/seed.ts";
import type { CallEntry } from "../../../simulator/request/journal.ts";
import { RECONCILE_REQUESTED_AT } from "../../../src/api/names.ts";
import { isObject, member } from "../../../src/kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import { comes, condition, type Condition, type Manifest } from "../../support/env/cluster.ts";
import type { Env } from "../../support/env/env.ts";
import { connectProxy } from "../../support/kube/connect-proxy.ts";
import { connection, resource, secret } from "../../support/kube/manifests.ts";
import { CONFIGURATION, VALUES } from "./kinds/references.ts";
import type { Fixture, KindCases, Standing } from "./outcomes.ts";
import { mergePatch } from "./place.ts";

/** Reasons of what goes on by itself, and soon. */
const UNDER_WAY: ReadonlySet<string> = new Set([
  "Progressing",
  "Creating",
  "Deploying",
  "Building",
  "Stopping",
  "Restarting",
  "Upgrading",
  "Queued",
  "ParentNotReady",
]);
const TIMEOUT_MS = 60_000;

export interface Lane {
  readonly cases: KindCases;
  readonly fixture: Fixture;
  /** Of the seed object. */
  readonly name: string;
  readonly seed: JsonObject;
  /** Creates what an object of that name stands on. */
  prepare(name: string): Promise<void>;
  /** Of all clusters that were asked for. */
  clusterIds(): readonly string[];
  /** Creates an object and waits until it rests, at a reason if one is given. */
  create(name: string, spec: JsonObject, reason?: string): Promise<Rest>;
  /** Gives an object another spec and waits until it rests, at a reason if one is given. */
  change(name: string, spec: JsonObject, reason?: string): Promise<Rest>;
  /** The calls of this lane's token so far. */
  calls(): readonly CallEntry[];
}

/** How an object came to rest. */
export interface Rest {
  readonly object: KubeObject;
  readonly ready: Condition;
}

/** Values that specs refer to, for all lanes of a stage. */
export function valueManifests(env: Env): readonly Manifest[] {
  const maps = Object.entries({ ...VALUES, ...CONFIGURATION });
  return [
    ...Object.entries(VALUES).flatMap(([name, data]) => {
      const one = secret(name, data);
      return [one, { ...one, metadata: { name, namespace: env.operatorNamespace } }];
    }),
    ...maps.flatMap(([name, data]) =>
      [env.namespace, env.operatorNamespace].map((namespace) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, namespace },
        data,
      })),
    ),
  ];
}

/** Brings about the seed of a kind and waits until it is Ready. */
export async function startLane(env: Env, surface: Surface, cases: KindCases): Promise<Lane> {
  const { kind } = cases;
  const ids = new Map<string, string>();
  const clusters = new Map<string, string>();
  const lane = laneName(kind);
  const proxy = await connectProxy(Number(new URL(env.platform.url).port));
  const seedName = kind === "ClusterPlatformConnection" ? `${env.namespace}-seed` : `${lane}-seed`;
  const fixture: Fixture = {
    name: lane,
    clusterOf: clusterPool(env, lane, cases.clusters ?? 4, clusters),
    baseUrl: env.platform.url,
    proxyUrl: proxy.url,
    organizationId: env.platform.organizationId,
    credentialsId: env.platform.credentialsId,
    id: (of, name) => {
      const id = ids.get(`${of}/${name}`) ?? ids.get(`${of}/${seedName}`);
      if (id === undefined) throw new RangeError(`${of} ${name} has no id`);
      return id;
    },
  };
  const created = async (of: string, name: string, spec: JsonObject, reason?: string): Promise<Rest> => {
    await env.apply(resource(of, name, spec));
    const rest = await resting(env, of, name, wanted(reason, isSettled));
    const id = member(rest.object.status, "externalId");
    if (typeof id === "string") ids.set(`${of}/${name}`, id);
    return rest;
  };
  const stand = async (standings: readonly Standing[]): Promise<void> => {
    for (const each of standings) {
      const { ready } = await created(each.kind, each.name, each.spec);
      if (ready.status !== "True") throw new Error(`${each.kind} ${each.name}: ${ready.reason} ${ready.message}`);
    }
  };
  const prepare: Lane["prepare"] = (name) => stand(cases.own?.(fixture, name) ?? []);
  await env.apply(
    ...tokens(env, lane),
    laneConnection(env, surface, lane, lane),
    laneConnection(env, surface, `${lane}-twin`, lane),
  );
  await stand(cases.stands(fixture));
  await prepare(seedName);
  const seed = cases.seed(fixture, seedName);
  await stand([{ kind, name: seedName, spec: seed }]);
  return {
    cases,
    fixture,
    name: seedName,
    seed,
    prepare,
    clusterIds: () => [...clusters.values()],
    create: async (name, spec, reason) => created(kind, name, spec, reason),
    change: async (name, spec, reason) => {
      const { spec: now } = await env.get(kind, name);
      await env.patch(kind, name, { spec: mergePatch(isObject(now) ? now : {}, spec) });
      return resting(env, kind, name, wanted(reason, isAtRest));
    },
    calls: () =>
      env.platform.journal().filter((entry): entry is CallEntry => entry.is === "call" && entry.principal === lane),
  };
}

const laneName = (kind: string): string => kind.replace("Platform", "").toLowerCase();

function tokens(env: Env, lane: string): readonly Manifest[] {
  const { sim, organizationId } = env.platform;
  const token = sim.auth.createToken({ name: lane, organizationId, scopes: ["Admin"] }).value;
  return [lane, `${lane}-spare`].flatMap((name) => {
    const one = secret(name, { token, other: token });
    return [one, { ...one, metadata: { name, namespace: env.operatorNamespace } }];
  });
}

/** With the lane's token; ids stand that the documented surface shows no proof of. */
function laneConnection(env: Env, surface: Surface, name: string, lane: string): Manifest {
  const auth = { tokenSecretRef: { name: lane } };
  return connection(env, name, {
    auth,
    surface: surface === "full" ? "Full" : "Documented",
    allowUnverifiedIds: true,
  });
}

/** Clusters are there before anybody lists them, and get their names as they are asked for. */
function clusterPool(env: Env, lane: string, count: number, named: Map<string, string>): Fixture["clusterOf"] {
  const { sim, organizationId } = env.platform;
  const free = Array.from({ length: count }, (_, index) =>
    newCluster(sim.ids, sim.time, organizationId, { name: `${lane}-${index}`, region: "eu-west-3" }),
  );
  for (const each of free) sim.world.clusters.set(each.id, each);
  return (name) => {
    const id = named.get(name) ?? free.pop()?.id;
    if (id === undefined) throw new RangeError(`${lane} has no cluster left for ${name}`);
    named.set(name, id);
    return id;
  };
}

/**
 * Waits until nothing more comes by itself for the object's generation. @throws Error with its status after a minute
 */
async function resting(env: Env, kind: string, name: string, rests: (ready: Condition) => boolean): Promise<Rest> {
  let last: KubeObject | undefined;
  const rest = await comes(async () => {
    const object = await env.get(kind, name);
    last = object;
    const { generation } = object.metadata;
    const ready = condition(object, "Ready");
    const isCurrent = member(object.status, "observedGeneration") === generation;
    const isAt = isCurrent && ready !== undefined && ready.observedGeneration === generation && rests(ready);
    if (!isAt) return undefined;
    if (!isOfAnother(env, kind, ready)) return { object, ready };
    await env.annotate(kind, name, { [RECONCILE_REQUESTED_AT]: `${performance.now()}` });
    return undefined;
  }, TIMEOUT_MS);
  if (rest === undefined) throw new Error(`${kind} ${name} does not rest: ${JSON.stringify(last?.status)}`);
  return rest;
}

/**
 * Whether the operator of another file had the last word: all of them look at what is cluster-wide, and each misses the
 * Secret in its own namespace.
 */
const isOfAnother = ({ operatorNamespace }: Env, kind: string, { reason, message }: Condition): boolean =>
  kind === "ClusterPlatformConnection" &&
  reason === "CredentialsMissing" &&
  !message.includes(`"${operatorNamespace}"`);

/** Whether it is Ready, or is not, for a reason that lasts. */
const isAtRest = ({ status, reason }: Condition): boolean => status === "True" || !UNDER_WAY.has(reason);

/** Reasons of an object whose connection or references may be as new as it is: they are found within seconds. */
const NOT_SEEN_YET: ReadonlySet<string> = new Set(["DependencyNotReady", "CredentialsMissing", "ConnectionNotReady"]);

/** The same of an object that is new. */
const isSettled = (ready: Condition): boolean => isAtRest(ready) && !NOT_SEEN_YET.has(ready.reason);

const wanted = (reason: string | undefined, usual: (ready: Condition) => boolean) =>
  reason === undefined ? usual : (ready: Condition): boolean => ready.reason === reason;
