/** The part of an env for one kind: a seed object and its dependencies, with a token that identifies their calls. */
import type { Surface } from "../../../simulator/base/operations.ts";
import { newCluster } from "../../../simulator/model/seed.ts";
import type { CallEntry } from "../../../simulator/request/journal.ts";
import { isGoalReached } from "../../../src/engine/contract/status.ts";
import { isObject, member } from "../../../src/kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import { comes, condition, type Condition, type Manifest } from "../../support/env/cluster.ts";
import type { Env } from "../../support/env/env.ts";
import { connectProxy } from "../../support/kube/connect-proxy.ts";
import { connection, resource, secret } from "../../support/kube/manifests.ts";
import { callsIn } from "../../support/platform/calls.ts";
import { seedOf } from "./derive.ts";
import { CONFIGURATION, VALUES } from "./kinds/references.ts";
import type { Fixture, TestedKind } from "./outcomes.ts";
import { mergePatch } from "./place.ts";

/** Reasons of states that end soon without a change. */
const TRANSIENT: ReadonlySet<string> = new Set([
  ...["Progressing", "Creating", "Deploying", "Building", "Stopping", "Restarting", "Upgrading", "Queued"],
  "ParentNotReady",
]);
const TIMEOUT_MS = 60_000;

export type Lane = Awaited<ReturnType<typeof startLane>>;

export interface Settled {
  readonly object: KubeObject;
  readonly ready: Condition;
}

/** @returns the values that specs refer to, for all lanes of an env */
export function valueManifests(env: Env): readonly Manifest[] {
  const maps = Object.entries({ ...VALUES, ...CONFIGURATION });
  return [
    ...Object.entries(VALUES).map(([name, data]) => secret(name, data)),
    ...maps.map(([name, data]) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data })),
  ].flatMap((one) => inBoth(env, one));
}

/** @returns an object in the namespace of the env, and in that of its operator, for cluster-scoped connections */
function inBoth({ operatorNamespace }: Env, one: Manifest): readonly Manifest[] {
  return [one, { ...one, metadata: { ...one.metadata, namespace: operatorNamespace } }];
}

/** Creates the seed of a kind and waits until it is Ready. */
export async function startLane(env: Env, surface: Surface, tested: TestedKind) {
  const { kind, cases } = tested;
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
  const created = async (manifest: Manifest, reason?: string): Promise<Settled> => {
    const [of, { name }] = [manifest.kind, manifest.metadata];
    await env.apply(manifest);
    const settled = await settle(env, of, name, wanted(reason, isSettledNew));
    const id = member(settled.object.status, "externalId");
    if (typeof id === "string") ids.set(`${of}/${name}`, id);
    return settled;
  };
  const createReady = async (manifests: readonly Manifest[]): Promise<void> => {
    for (const manifest of manifests) {
      const { ready } = await created(manifest);
      const what = `${manifest.kind} ${manifest.metadata.name}`;
      if (!isGoalReached(ready)) throw new Error(`${what}: ${ready.reason} ${ready.message}`);
    }
  };
  const prepare = (name: string) => createReady(cases.ownDependencies?.(fixture, name) ?? []);
  await env.apply(
    ...tokens(env, lane),
    laneConnection(env, surface, lane, lane),
    laneConnection(env, surface, `${lane}-twin`, lane),
  );
  await createReady(cases.dependencies?.(fixture) ?? []);
  await prepare(seedName);
  await createReady([resource(kind, seedName, seedOf(tested, fixture, seedName))]);
  return {
    kind: tested,
    fixture,
    name: seedName,
    /** Creates the dependencies of an object of that name. */
    prepare,
    clusterIds: () => [...clusters.values()],
    /** Creates an object and waits until it settles, with the reason if one is given. */
    create: (name: string, spec: JsonObject, reason?: string) => created(resource(kind, name, spec), reason),
    /** Gives an object another spec and waits until it settles, with the reason if one is given. */
    change: async (name: string, spec: JsonObject, reason?: string): Promise<Settled> => {
      const { spec: now } = await env.get(kind, name);
      await env.patch(kind, name, { spec: mergePatch(isObject(now) ? now : {}, spec) });
      return settle(env, kind, name, wanted(reason, isSettled));
    },
    /** The calls of this lane's token so far. */
    calls: (): readonly CallEntry[] => callsIn(env.platform.journal()).filter(({ principal }) => principal === lane),
  };
}

const laneName = (kind: string): string => kind.replace("Platform", "").toLowerCase();

function tokens(env: Env, lane: string): readonly Manifest[] {
  const { sim, organizationId } = env.platform;
  const token = sim.auth.createToken({ name: lane, organizationId, scopes: ["Admin"] }).value;
  return [lane, `${lane}-spare`].flatMap((name) => inBoth(env, secret(name, { token, other: token })));
}

/** @returns a connection with the lane's token that allows ids without a proof, as on the documented surface */
function laneConnection(env: Env, surface: Surface, name: string, lane: string): Manifest {
  const declared = surface === "full" ? "Full" : "Documented";
  const auth = { tokenSecretRef: { name: lane } };
  return connection(env, name, { auth, surface: declared, allowUnverifiedIds: true });
}

/** Creates the clusters before the operator lists them. @returns a function that assigns one to each name */
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

/** Waits until the conditions of the object's generation are settled. @throws Error with its status after a minute */
async function settle(env: Env, kind: string, name: string, isDone: (ready: Condition) => boolean): Promise<Settled> {
  let last: KubeObject | undefined;
  const settled = await comes(async () => {
    const object = await env.get(kind, name);
    last = object;
    const ready = condition(object, "Ready");
    const observed = [member(object.status, "observedGeneration"), ready?.observedGeneration];
    const isCurrent = observed.every((generation) => generation === object.metadata.generation);
    return ready !== undefined && isCurrent && isDone(ready) ? { object, ready } : undefined;
  }, TIMEOUT_MS);
  if (settled === undefined) throw new Error(`${kind} ${name} does not settle: ${JSON.stringify(last?.status)}`);
  return settled;
}

/** Whether it is Ready, or not Ready for a lasting reason. */
const isSettled = ({ status, reason }: Condition): boolean => status === "True" || !TRANSIENT.has(reason);

/** Reasons of a new object whose connection and references are new, too: the operator finds them within seconds. */
const NOT_SEEN_YET: ReadonlySet<string> = new Set(["DependencyNotReady", "CredentialsMissing", "ConnectionNotReady"]);

const isSettledNew = (ready: Condition): boolean => isSettled(ready) && !NOT_SEEN_YET.has(ready.reason);

const wanted = (reason: string | undefined, usual: (ready: Condition) => boolean) =>
  reason === undefined ? usual : (ready: Condition): boolean => ready.reason === reason;
