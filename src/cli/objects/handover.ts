/** The steps of a move: create the copy at the target, then delete the source. */
import {
  EXTERNAL_ID,
  FINALIZER,
  FLUX_REQUESTED_AT,
  GROUP,
  INSTALLATION,
  INTENT,
  MOVE_TO,
  PAUSED,
} from "../../api/names.ts";
import { isPaused } from "../../api/paused.ts";
import { RESOURCES } from "../../kinds/index.ts";
import { abortableSleep } from "../../kube/api/clock.ts";
import { isKube } from "../../kube/api/errors.ts";
import { isObject, member, stringMember } from "../../kube/api/json.ts";
import { collectionPath, objectPath } from "../../kube/api/paths.ts";
import type { KubeQuery } from "../../kube/api/transport.ts";
import type { Json, JsonObject, KubeObject } from "../../kube/api/types.ts";
import { type ClusterClient, typeOf, USER_FIELD_MANAGER } from "../base/cluster.ts";
import type { Call } from "../base/command.ts";
import { CliError, EXIT } from "../base/exit.ts";
import { shortTarget } from "../base/targets.ts";
import { applierOf } from "./shared/applier.ts";

const POLL_MS = 500;

export type MoveCall = Call<
  { readonly object: string },
  { readonly "dry-run": boolean; readonly wait: boolean; readonly timeout: number }
>;

type Replacement = JsonObject & { readonly metadata?: JsonObject };

interface Move {
  readonly cluster: ClusterClient;
  /** The target cluster; the same one for another namespace. */
  readonly target: ClusterClient;
  readonly old: KubeObject;
  /** The resource of the same name at the target, if an earlier move, or a restored backup, created it. */
  readonly copy: KubeObject | undefined;
  readonly to: string;
  /** The installation of the source; undefined for a move within it. */
  readonly installation: string | undefined;
}

/**
 * Creates the copy and deletes the old resource.
 * @throws CliError if the move is refused, or not over at the timeout or Ctrl-C; KubeError
 */
export async function handOver(call: MoveCall, move: Move): Promise<void> {
  const { cluster, old, to, installation } = move;
  const { kind, metadata } = old;
  const target = shortTarget({ kind, name: metadata.name });
  const refusal = refusalOf(move);
  if (refusal !== undefined) throw new CliError(`${target} ${refusal}`);
  const dryRun = call.flags["dry-run"];
  const query = { fieldManager: USER_FIELD_MANAGER, ...(dryRun && ({ dryRun: "All" } as const)) };
  // An object that is only observed gets no entry in the orphan ledger, from which this installation would adopt it.
  const change =
    installation === undefined
      ? { metadata: { annotations: { [MOVE_TO]: to } }, spec: { lifecycle: { deletionPolicy: "Retain" } } }
      : { spec: { lifecycle: { managementPolicy: "ObserveOnly" } } };
  const applier = applierOf(await cluster.patch(old, change, { dryRun: "All" }));
  if (applier !== undefined) {
    throw new CliError(
      `${applier} applies ${target} and would create it again: move it in its source, as docs/guides/move.md describes.`,
    );
  }
  await create(move, query);
  await cluster.patch(old, change, query);
  if (installation !== undefined && !dryRun) {
    await passMemory(move, (await waitUntil(call, move, "worked on", isLeft)) ?? old, query);
  }
  const path = objectPath(typeOf(kind), { namespace: metadata.namespace ?? "", name: metadata.name });
  // The options in the body take the place of those in the query.
  const body = { preconditions: { uid: metadata.uid }, ...(dryRun && { dryRun: ["All"] }) };
  await cluster.client.request({ method: "DELETE", path, body });
  if (!dryRun) await waitUntil(call, move, "being deleted", () => false);
}

/** Returns why an object cannot be moved, as the end of a sentence. */
function refusalOf({ old, copy, to, installation }: Move): string | undefined {
  const id = stringMember(old.status, "externalId");
  if (id === undefined) return "has no object on the platform yet: there is nothing to move.";
  if (isPaused(old)) return "is paused. Resume it first.";
  if (copy !== undefined && copy.metadata.annotations?.[EXTERNAL_ID] !== id) {
    return `exists in namespace "${to}" already, and is not ${id}.`;
  }
  if (installation === undefined) return undefined;
  const foreign = [old, copy].find((one) => one !== undefined && recordedBy(one) !== installation);
  if (foreign !== undefined) return `belongs to another installation ${foreign === old ? "here" : "there"} already.`;
  return old.metadata.deletionTimestamp === undefined || isObserved(old) ? undefined : "is being deleted.";
}

/** Returns the installation that recorded an object. */
export function recordedBy({ metadata, status }: KubeObject): string | undefined {
  return stringMember(member(status, "identity"), "installation") ?? metadata.annotations?.[INSTALLATION];
}

function isObserved({ spec }: KubeObject): boolean {
  return stringMember(member(spec, "lifecycle"), "managementPolicy") === "ObserveOnly";
}

/** Creates the copy, or replaces one that a backup restored, as it may be older. */
async function create(move: Move, query: KubeQuery): Promise<void> {
  const { target, old, copy, to, installation } = move;
  if (copy === undefined) {
    const path = collectionPath(typeOf(old.kind), to);
    await target.client.request({ method: "POST", path, body: await copyOf(move), query });
  } else if (installation !== undefined && !isPaused(copy) && !isObserved(old)) {
    await replace(move, await copyOf(move), query);
  }
}

/** Replaces the copy, or its status, and tries again if the operator at the target has changed it meanwhile. */
async function replace(move: Move, by: Replacement, query: KubeQuery, subresource?: "status"): Promise<void> {
  const { target, old, to } = move;
  const { kind, apiVersion } = old;
  const { name } = old.metadata;
  const { resourceVersion, finalizers } = (await target.get(kind, name, to)).metadata;
  const metadata = { ...by.metadata, name, namespace: to, resourceVersion, finalizers };
  const path = objectPath(typeOf(kind), { namespace: to, name }, subresource);
  try {
    await target.client.request({ method: "PUT", path, body: { ...by, apiVersion, kind, metadata }, query });
  } catch (error) {
    if (!isKube(error, "Conflict")) throw error;
    await replace(move, by, query, subresource);
  }
}

/**
 * Reports whether the operator has released the old resource: it is being deleted, or the operator has observed the
 * policy ObserveOnly, has no open intent and has removed its finalizer.
 */
function isLeft({ metadata, status }: KubeObject): boolean {
  const isSeen = member(status, "observedGeneration") === metadata.generation;
  const isOpen = metadata.annotations?.[INTENT] !== undefined || member(status, "intent") !== undefined;
  const isHeld = metadata.finalizers?.includes(FINALIZER) === true;
  return metadata.deletionTimestamp !== undefined || (isSeen && !isOpen && !isHeld);
}

/**
 * Writes the memory of the old resource, which the platform does not return, to the status of the copy. This
 * installation stays recorded as the holder until the other one adopts the object.
 */
async function passMemory(move: Move, { kind, status }: KubeObject, query: KubeQuery): Promise<void> {
  const memory = RESOURCES.find((resource) => resource.kind === kind)?.memory.parse(status);
  const known = { externalId: member(status, "externalId"), identity: member(status, "identity") };
  const now = { ...(isObject(memory) && memory), ...known, observedGeneration: -1 };
  await replace(move, { status: now }, query, "status");
}

/** Returns the resource to create at the target: paused, with the id as a claim. */
async function copyOf({ target, old, to, installation }: Move) {
  const { apiVersion, kind, metadata } = old;
  const ours = `${GROUP}/`;
  // In a new resource, an old reconcile request of Flux would retry a failed deployment.
  const left = new Set(["kubectl.kubernetes.io/last-applied-configuration", FLUX_REQUESTED_AT]);
  const kept = Object.entries(metadata.annotations ?? {}).filter(([key]) => !key.startsWith(ours) && !left.has(key));
  const annotations = {
    ...Object.fromEntries(kept),
    [EXTERNAL_ID]: stringMember(old.status, "externalId"),
    [INSTALLATION]: installation,
    [PAUSED]: "true",
  };
  const labels = { ...metadata.labels };
  return {
    apiVersion,
    kind,
    metadata: { name: metadata.name, namespace: to, labels, annotations },
    spec: await specOf(target, old, to),
  };
}

/** The references to a parent, and the kinds that they name. */
const PARENTS = { projectRef: "PlatformProject", environmentRef: "PlatformEnvironment" } as const;

/** Returns the spec; it refers by id to a parent that the target does not have under the same name. */
async function specOf(target: ClusterClient, old: KubeObject, to: string): Promise<Json | undefined> {
  const { spec } = old;
  const parentId = stringMember(member(old.status, "identity"), "parentId");
  if (!isObject(spec) || parentId === undefined) return spec;
  const changed: Record<string, Json | undefined> = { ...spec };
  for (const [field, kind] of Object.entries(PARENTS)) {
    const name = stringMember(spec[field], "name");
    if (name === undefined) continue;
    const parent = await target.find(kind, name, to);
    if (stringMember(parent?.status, "externalId") !== parentId) changed[field] = { externalId: parentId };
  }
  return changed;
}

/**
 * Waits until the old resource is gone, or `isOver` returns true for it.
 * @param what the state of the resource until then, for the message, e.g. "being deleted"
 * @returns the resource; undefined once it is gone @throws CliError at the timeout, or after Ctrl-C
 */
async function waitUntil(
  { host, flags, program }: MoveCall,
  { cluster, old: { kind, metadata } }: Move,
  what: string,
  isOver: (now: KubeObject) => boolean,
): Promise<KubeObject | undefined> {
  const until = host.clock.monotonic() + flags.timeout;
  const interrupt = host.interrupt();
  for (;;) {
    const now = await cluster.find(kind, metadata.name);
    if (now?.metadata.uid !== metadata.uid) return undefined;
    if (isOver(now)) return now;
    const isLate = host.clock.monotonic() >= until;
    if (!isLate && (await abortableSleep(host.clock, POLL_MS, interrupt))) continue;
    throw new CliError(
      `${shortTarget({ kind, name: metadata.name })} is still ${what}. Check it with "${program} status", then repeat the move.`,
      isLate ? EXIT.timeout : EXIT.interrupted,
    );
  }
}
