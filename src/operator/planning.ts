/**
 * Plans what the operator would write to the platform for some objects: the engine reconciles them in memory. It reads
 * the platform, and writes neither to it nor to the cluster: every step ends in `status.plan`, and a fence that never
 * opens blocks each request that changes something.
 */
import type { PlatformRules } from "../config/config.ts";
import { boundKinds, CONNECTION_KINDS, TYPES } from "../config/kinds.ts";
import { keyText } from "../engine/contract/keys.ts";
import { conditionOf } from "../engine/contract/status.ts";
import { DEFAULT_WINDOWS } from "../engine/contract/windows.ts";
import { createEngine, type Engine, type EngineDeps } from "../engine/engine.ts";
import { createOrphans, type Orphans } from "../engine/orphans/ledger.ts";
import { isKube, KubeError } from "../kube/api/errors.ts";
import { keyOf } from "../kube/api/objects.ts";
import type { JsonObject, KubeObject, ObjectKey } from "../kube/api/types.ts";
import type { ConfigMaps } from "../kube/write/config-maps.ts";
import type { Platform } from "../platform/index.ts";
import { connectOf } from "./platforms.ts";

/** The engine's identity and its access to the cluster. `installation` identifies the operator's own records. */
type Reading = Pick<
  EngineDeps<Platform>,
  "reader" | "namespaces" | "operatorNamespace" | "installation" | "key" | "clock" | "random"
>;

export interface PlanningOptions extends Reading {
  /** All custom resources that matter, as they would be after the apply. */
  readonly objects: readonly KubeObject[];
  /** The objects of `objects` to plan. */
  readonly wanted: readonly KubeObject[];
  readonly rules: PlatformRules;
  readonly version: string;
  /** The orphan ledger, which is only read. @see PlanningOptions.unread */
  readonly configMaps: ConfigMaps;
  /** Called when the user may not read the orphan ledger: the plan then ignores it. */
  readonly unread: () => void;
  /** Returns a sentence for people about a failed exchange with the cluster. */
  readonly explain: (error: KubeError) => string;
}

/** One object after the engine has planned it. */
export interface Planned {
  /** The object with the status that the operator would write; the status's `plan` has the steps. */
  readonly object: KubeObject;
  /** Why there is no plan; undefined where the status has it. */
  readonly problem: Problem | undefined;
}

/** Why an object has no plan. */
export interface Problem {
  /** A sentence for people. */
  readonly message: string;
  /** The error behind it: the same for all objects of one connection. */
  readonly cause: string;
}

/** The largest number of reconciles of one object. */
const RECONCILES = 5;

/**
 * Plans the wanted objects.
 * @returns the objects in the order in which they were reconciled, parents first
 * @throws KubeError if the read of the orphan ledger fails, unless it is forbidden; RangeError for a wanted object that
 * is not in `objects`
 */
export async function planObjects(options: PlanningOptions): Promise<readonly Planned[]> {
  const cluster = createInMemoryCluster(options.objects, (object, old) => {
    engine.changed({ type: "updated", object, old }, false);
  });
  const orphans = await orphansOf(options);
  const engine = engineOver(cluster, options, orphans);
  for (const object of options.objects) engine.changed({ type: "added", object }, true);
  const inOrder = TYPES.flatMap(({ kind }) => options.wanted.filter((object) => object.kind === kind));
  const problemOf = createPlanner(cluster, engine, options.explain);
  const planned: Planned[] = [];
  try {
    for (const object of inOrder) {
      const problem = await problemOf(object);
      const changed = cluster.cache.get(keyOf(object));
      if (changed === undefined) throw new RangeError("what is planned has to be among the objects");
      planned.push({ object: changed, problem });
    }
    return planned;
  } finally {
    await engine.connections.closeAll();
    await orphans.close();
  }
}

/** @returns a function that plans an object, and returns why there is no plan */
function createPlanner({ cache }: InMemoryCluster, engine: Engine<Platform>, explain: PlanningOptions["explain"]) {
  /** Connections that were opened, and why they cannot be used. */
  const opened = new Map<string, string | undefined>();

  /** @returns why the cluster could not be read */
  const reconcile = async (key: ObjectKey): Promise<string | undefined> => {
    try {
      for (let count = 0; count < RECONCILES; count += 1) {
        const requeueAfterMs = await engine.reconcile(key);
        if (requeueAfterMs !== 0) return undefined;
      }
      return undefined;
    } catch (error) {
      if (error instanceof KubeError) return explain(error);
      throw error;
    }
  };
  /** Opens a connection as the engine does. @returns why it cannot be used */
  const open = async (key: ObjectKey): Promise<string | undefined> => {
    const failure = await reconcile(key);
    const object = cache.get(key);
    const ready = object && conditionOf(object, "Ready");
    if (failure === undefined && ready?.status === "True") return undefined;
    return failure ?? ready?.message ?? "it does not exist.";
  };

  return async (object: KubeObject): Promise<Problem | undefined> => {
    if (object.metadata.deletionTimestamp !== undefined) return undefined;
    const isConnection = Object.values<string>(CONNECTION_KINDS).includes(object.kind);
    const route = isConnection ? undefined : engine.route(object);
    if (route?.is === "none") return { message: route.why.message, cause: route.why.message };
    if (route !== undefined) {
      const connection = keyText(route.key);
      if (!opened.has(connection)) opened.set(connection, await open(route.key));
      const cause = opened.get(connection);
      if (cause !== undefined)
        return { message: `${route.key.kind} "${route.key.name}" cannot be used: ${cause}`, cause };
    }
    const failure = await reconcile(keyOf(object));
    return failure === undefined ? undefined : { message: failure, cause: failure };
  };
}

/** The orphan ledger as far as the user may read it. @throws KubeError */
async function orphansOf({ configMaps, clock, random, unread }: PlanningOptions): Promise<Orphans> {
  const orphans = createOrphans({
    configMaps: { ...configMaps, write: (_index, entries) => Promise.resolve(entries) },
    clock,
    random,
    windows: DEFAULT_WINDOWS,
    report: () => {},
  });
  try {
    await orphans.load();
  } catch (error) {
    if (!isKube(error, "Forbidden")) throw error;
    unread();
  }
  return orphans;
}

/** Why a webhook with the operator as its receiver has no plan. */
const NO_RECEIVER = {
  reason: "NotObservable",
  message: "Only the operator knows the URL and the secret of its receiver, so nothing is planned for this webhook.",
} as const;

function engineOver(
  cluster: InMemoryCluster,
  { rules, version, ...options }: PlanningOptions,
  orphans: Orphans,
): Engine<Platform> {
  const { clock, random } = options;
  return createEngine<Platform>(
    {
      ...options,
      ...cluster,
      withoutSecrets: (text) => text,
      events: { record: () => {} },
      outputs: {
        configMap: () => Promise.resolve("1"),
        secret: () => Promise.resolve("1"),
        isAsWritten: () => Promise.resolve(true),
      },
      fence: { mayWrite: () => false, leading: () => false },
      connectionKinds: CONNECTION_KINDS,
      // Without delays each reconcile writes its status at once.
      windows: { ...DEFAULT_WINDOWS, deferMs: 0, graceMs: 0 },
      dryRun: true,
      receiver: () => ({ url: NO_RECEIVER, path: "", secret: "" }),
      observer: {
        change: () => {},
        status: () => {},
        removed: () => {},
        writtenElsewhere: () => {},
        internal: () => {},
      },
      // The plan is of this release, whichever writes the status of a connection.
      releases: { isRunning: () => false },
      stopping: new AbortController().signal,
      connect: connectOf({ rules, version, clock, random }),
      orphans,
      // The planner reconciles every object itself.
      enqueue: () => {},
    },
    boundKinds(),
  );
}

/** The custom resources behind the engine's interfaces to the cluster. Every write stays in memory. */
type InMemoryCluster = Pick<EngineDeps<Platform>, "cache" | "writer">;

/** @param onChange called after every write */
function createInMemoryCluster(
  objects: readonly KubeObject[],
  onChange: (object: KubeObject, old: KubeObject) => void,
): InMemoryCluster {
  const current = new Map(objects.map((object) => [keyText(keyOf(object)), object]));

  const write = (object: KubeObject, change: (old: KubeObject) => KubeObject): KubeObject => {
    const key = keyText(keyOf(object));
    const old = current.get(key) ?? object;
    const next = change(old);
    current.set(key, next);
    onChange(next, old);
    return next;
  };
  const writeMetadata = (
    object: KubeObject,
    annotations: Readonly<Record<string, string | null>>,
    finalizers?: readonly string[],
  ): KubeObject =>
    write(object, (old) => ({
      ...old,
      metadata: {
        ...old.metadata,
        annotations: patched(old.metadata.annotations, annotations),
        ...(finalizers === undefined ? {} : { finalizers }),
      },
    }));

  return {
    cache: {
      get: (key) => current.get(keyText(key)),
      list: (kind, namespace) =>
        [...current.values()].filter(
          (object) => object.kind === kind && (namespace === undefined || object.metadata.namespace === namespace),
        ),
    },
    writer: {
      patchChecked: (object, { annotations = {}, finalizers }) =>
        Promise.resolve(writeMetadata(object, annotations, finalizers)),
      storeOutcome: (object, annotations) => Promise.resolve(writeMetadata(object, annotations)),
      patchStatus: (object, status: JsonObject) => Promise.resolve(write(object, (old) => ({ ...old, status }))),
      confirm: () => Promise.resolve(),
    },
  };
}

/** Applies a merge patch: null removes an annotation. */
function patched(
  old: Readonly<Record<string, string>> | undefined,
  patch: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string>> {
  const all: readonly (readonly [string, string | null])[] = Object.entries({ ...old, ...patch });
  return Object.fromEntries(all.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}
