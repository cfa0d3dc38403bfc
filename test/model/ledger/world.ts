/** The world of the model as data: both servers' objects, the requests in flight, and one or two processes. */
import { INTENT } from "../../../src/api/names.ts";
import { recordedIn } from "../../../src/engine/contract/status.ts";
import { KubeError } from "../../../src/kube/api/errors.ts";
import { isObject } from "../../../src/kube/api/json.ts";
import type { Json, JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import { changedBy, newRemote, type Op, type Remote } from "../../support/engine/fake-platform.ts";
import { anObject } from "../../support/engine/objects.ts";
import { patched as patchedObject, raised } from "../../support/kube/patches.ts";
import { LONG, NOTHING, type Memory, type Patch, type Reply } from "./exchange.ts";

/** A request whose sender no longer waits for it. It may still land, or be lost. */
export interface Flight {
  readonly op: Op;
  readonly id: string;
  readonly made: Partial<Remote>;
  readonly attempt: string;
  /** Ticks since its intent began to be written. */
  readonly age: number;
}

/** A process of the operator. */
export interface Process {
  readonly name: string;
  /** The object in its cache; null when it is not in the cache. */
  readonly cached: KubeObject | null;
  readonly memory: Memory;
  /** The node of its current reconcile, null between two; `since` is its age in ticks, LONG at most. */
  readonly node: number | null;
  readonly since: number;
  /** An answer that arrived while it was frozen. */
  readonly held: Reply | null;
  /** Ticks since its last renewal of the lease; a process that is cut off does not renew it. */
  readonly renewed: number;
  readonly cut: boolean;
  /** After how many ticks its last reconcile is to be repeated; null for never. */
  readonly again: number | null;
}

export interface World {
  /** The stored object; null when it is deleted. */
  readonly object: KubeObject | null;
  /** The status before its last change, for a restore from a backup. */
  readonly before: JsonObject;
  readonly remotes: readonly Remote[];
  /** The number of effects of each attempt on the platform, and of deployments of each commit. */
  readonly effects: Readonly<Record<string, number>>;
  readonly deploys: Readonly<Record<string, number>>;
  readonly flights: readonly Flight[];
  readonly processes: readonly Process[];
  /** The number of faults that may still occur, and counts of what has happened. */
  readonly faults: number;
  readonly births: number;
  readonly creates: number;
  /** The operator warned that it leaves an object on the platform. */
  readonly warned: boolean;
  /** A request landed after its window, which breaks the design's one assumption. */
  readonly late: boolean;
  /** The user removed the record of the deployment, or restored an old one. */
  readonly forged: boolean;
}

/** @returns a world in which a user has just created the object, and a process has read it. */
export function begin(spec: JsonObject, faults: number): World {
  const before = { observedGeneration: -1 };
  const meta = { resourceVersion: "v1", generation: 1, creationTimestamp: "2026-11-21T10:00:00Z" };
  const object = anObject({ meta, spec, status: before });
  const processes = [born(0, object)];
  const platform = { remotes: [], effects: {}, deploys: {}, flights: [], creates: 0 };
  const marks = { warned: false, late: false, forged: false };
  return { object, before, ...platform, processes, faults, births: 1, ...marks };
}

/** What a process has between two reconciles. */
export const IDLE = { node: null, since: 0, held: null } as const;

/** @returns a process that has just listed the object and leads. */
export function born(number: number, cached: KubeObject | null): Process {
  const name = String.fromCodePoint(65 + number);
  return { name, cached, memory: NOTHING, ...IDLE, renewed: 0, cut: false, again: 0 };
}

/** Returns the world one tick later. */
export function aged(world: World): World {
  return {
    ...world,
    flights: world.flights.map((flight) => ({ ...flight, age: flight.age + 1 })),
    processes: world.processes.map((process) => ({
      ...process,
      since: process.node === null ? 0 : Math.min(process.since + 1, LONG),
      memory: older(process.memory),
      renewed: process.cut ? Math.min(process.renewed + 1, 3) : 0,
    })),
  };
}

function older(memory: Memory): Memory {
  const { intent } = memory;
  if (intent === undefined) return memory;
  return { ...memory, intent: { ...intent, age: Math.min(intent.age + 1, LONG) } };
}

/** @returns the world after the patch and the API server's answer. @param version the object's new resourceVersion */
export function patched(world: World, { status, body }: Patch, version: string): Effect {
  const { object } = world;
  if (object === null) return { world, reply: { is: "kube", failure: "NotFound", status: 404 } };
  try {
    const { metadata, ...next } = patchedObject(object, body, status);
    const { deletionTimestamp, finalizers = [] } = metadata;
    const gone = deletionTimestamp !== undefined && finalizers.length === 0;
    const stored = { ...next, metadata: { ...metadata, resourceVersion: version } };
    const before = status ? (object.status as JsonObject) : world.before;
    return {
      world: { ...world, object: gone ? null : stored, before },
      reply: { is: "value", value: stored as unknown as Json },
    };
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return { world, reply: { is: "kube", failure: error.failure, status: error.status } };
  }
}

/** Returns the world after an edit of a user or an administrator. @param version the object's new resourceVersion */
export function edited(
  world: World,
  version: string,
  { deleted, ...change }: Partial<Pick<KubeObject, "spec" | "status">> & { readonly deleted?: true },
): World {
  const { object } = world;
  if (object === null) return world;
  const { finalizers = [] } = object.metadata;
  if (deleted === true && finalizers.length === 0) return { ...world, object: null };
  const going = deleted === true && { deletionTimestamp: "2026-11-21T10:00:00Z" };
  const meta = { ...object.metadata, resourceVersion: version, ...going };
  const next = { ...object, ...change, metadata: meta };
  return { ...world, object: deleted === true || next.spec !== object.spec ? raised(next) : next };
}

/**
 * Returns the world after the object went without its finalizer, and its manifest, saved at that moment, was applied.
 * @param version the new object's resourceVersion
 */
export function reapplied(world: World, version: string): World {
  const { object } = world;
  if (object === null) return world;
  const { metadata } = object;
  const meta = { ...metadata, uid: `${metadata.uid}-restored`, generation: 1, resourceVersion: version };
  return { ...world, object: { ...object, metadata: meta, status: { observedGeneration: -1 } } };
}

/** A world after a request, and the answer. */
interface Effect {
  readonly world: World;
  readonly reply: Reply;
}

/** Executes a request on the platform. */
export function effected(world: World, flight: Pick<Flight, "op" | "id" | "made" | "attempt">): Effect {
  const { op, id, attempt, made } = flight;
  if (op === "create") {
    const creates = world.creates + 1;
    const remote = newRemote(creates, made);
    const remotes = [...world.remotes, remote];
    const effects = counted(world.effects, attempt);
    return { world: { ...world, creates, remotes, effects }, reply: { is: "value", value: { ...remote } } };
  }
  const mine = world.remotes.find((remote) => remote.id === id);
  if (mine === undefined) return { world, reply: { is: "platform", failure: { is: "NotFound" }, status: 404 } };
  if (op === "delete") {
    const remotes = world.remotes.filter((remote) => remote !== mine);
    return { world: { ...world, remotes }, reply: { is: "value", value: null } };
  }
  const changed = changedBy(op, mine, made);
  const remotes = world.remotes.map((remote) => (remote === mine ? changed : remote));
  const counts = op === "deploy" && {
    effects: counted(world.effects, attempt),
    deploys: counted(world.deploys, made.commit ?? ""),
  };
  return { world: { ...world, remotes, ...counts }, reply: { is: "value", value: { ...changed } } };
}

function counted(counts: Readonly<Record<string, number>>, key: string): Readonly<Record<string, number>> {
  return { ...counts, [key]: (counts[key] ?? 0) + 1 };
}

/** Returns the answer to a read of the platform. */
export function read({ remotes }: World, op: Op, id: string): Reply {
  if (op === "list") return { is: "value", value: remotes.map((remote) => ({ ...remote })) };
  const mine = remotes.find((remote) => remote.id === id);
  return { is: "value", value: mine === undefined ? null : { ...mine } };
}

/** Reports whether the stored object has an open intent, in either slot. */
export function isIntentOpen(object: KubeObject): boolean {
  return object.metadata.annotations?.[INTENT] !== undefined || isObject(recordedIn(object, "intent"));
}
