/** Recording what stays on the platform when its resource goes. */
import { isObject, member } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { Json, JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import type { ExternalLifecycle, PolicyDefaults, Uuid, RatedApi } from "../contract/kind.ts";
import { statusOf, text } from "../contract/status.ts";
import type { RecordedIdentity } from "../ledger/identity.ts";
import { externalNameOf, signed, type Orphan } from "../orphans/orphan.ts";
import { recordedTenant } from "../ownership/tenant.ts";
import { NO_DEFAULTS, defaultsIn, policiesOf } from "../policies/policy.ts";

/** What of a kind decides whether its objects are left behind. */
export interface LeavingKind {
  readonly resource: { readonly kind: string; readonly memory: { parse(status: unknown): JsonObject } };
  readonly lives: ExternalLifecycle;
  readonly independent?: true;
}

/** An object that stays. */
export interface Leaving {
  readonly object: KubeObject;
  readonly id: Uuid;
  /** Retain, Stop, or the reason why it could not be deleted. */
  readonly why: string;
  /** Where it was worked on, if it was in this reconcile; else as it is recorded. */
  readonly recordedIdentity?: RecordedIdentity | undefined;
  /** What is not stored yet. */
  readonly memory?: JsonObject | undefined;
}

/** Of a namespace that is deleted with all that is in it, one read has to do for many. */
const NAMESPACE_MAX_AGE_MS = 60_000;
/** Beyond it an entry goes without the memory, and whoever finds it knows no more than after the loss of a status. */
const MEMORY_BYTES = 8 * 1_024;

/** @returns the entry; undefined for what is not left behind, or is not this installation's to record */
export async function orphanOf<Api extends RatedApi>(
  ports: Ports<Api>,
  kind: LeavingKind,
  { object, id, why, recordedIdentity, memory }: Leaving,
): Promise<Orphan | undefined> {
  const place = recordedIdentity ?? pinned(object);
  if (kind.lives !== true || kind.independent === true || !isOurs(ports, object, id, place)) return undefined;
  const { host, organizationId, installation, parentId } = place;
  const { namespace, name } = keyOf(object);
  const externalName = externalNameOf(object);
  const kept = memorable(kind.resource.memory.parse(memory ?? statusOf(object)));
  const entry = {
    v: 1 as const,
    id,
    installation,
    host,
    organizationId,
    kind: kind.resource.kind,
    namespace,
    namespaceUid: await uidOf(ports, namespace),
    name,
    ...(parentId === undefined ? {} : { parentId }),
    ...(externalName === undefined ? {} : { externalName }),
    at: ports.clock.now().toISOString(),
    why,
    ...(kept === undefined ? {} : { memory: kept }),
  };
  return signed(entry, tokenFor(ports, object));
}

type Recorded = Omit<RecordedIdentity, "connectionUid">;

/** What its status says of the place where its id was recorded. */
function pinned(object: KubeObject): Recorded {
  const identity = member(object.status, "identity");
  const parentId = text(member(identity, "parentId"));
  const installation = text(member(identity, "installation")) ?? "";
  return { ...recordedTenant(object), installation, ...(parentId === undefined ? {} : { parentId }) };
}

/** Whether this installation has recorded it, and no other resource holds it. */
function isOurs<Api extends RatedApi>(ports: Ports<Api>, object: KubeObject, id: Uuid, place: Recorded): boolean {
  if (place.installation !== ports.installation || place.host === "" || place.organizationId === "") return false;
  return ports.idOwnership.holder(id, object, place) === undefined;
}

/**
 * Records what stays of a resource that is gone already: under Retain there is no finalizer that would hold it until
 * then, so this is all that can be done, and what nobody watched is not recorded.
 */
export function noteLeft<Api extends RatedApi>(ports: Ports<Api>, kind: LeavingKind, object: KubeObject): void {
  const id = text(member(object.status, "externalId"));
  const { deletion, management } = policiesOf(object, defaultsFor(ports, object));
  if (ports.dryRun || id === undefined || deletion !== "Retain" || management === "ObserveOnly") return;
  ports.orphans.expect(orphanOf(ports, kind, { object, id, why: "Retain" }));
}

/** What its connection says for it: as the connection is now, or, if it is gone, as it was last. */
export function defaultsFor<Api extends RatedApi>(ports: Ports<Api>, object: KubeObject): PolicyDefaults {
  const found = ports.route(object);
  const connection = found.is === "found" ? ports.cache.get(found.key) : undefined;
  if (connection !== undefined) return defaultsIn(connection);
  return lastUsed(ports, object)?.settings.defaults ?? NO_DEFAULTS;
}

/** The connection that the object's record was made through, even if its own object is gone. */
function lastUsed<Api extends RatedApi>(ports: Ports<Api>, object: KubeObject) {
  const uid = text(member(member(object.status, "identity"), "connectionUid"));
  return uid === undefined ? undefined : ports.connections.byUid(uid);
}

function tokenFor<Api extends RatedApi>(ports: Ports<Api>, object: KubeObject): string | undefined {
  const found = ports.route(object);
  const last = lastUsed(ports, object) ?? (found.is === "found" ? ports.connections.last(found.key) : undefined);
  return last?.token();
}

/** The namespace may be gone as well; then it is found again by the signature alone. */
async function uidOf<Api extends RatedApi>({ namespaces }: Ports<Api>, namespace: string): Promise<string> {
  try {
    return (await namespaces.get(namespace, NAMESPACE_MAX_AGE_MS))?.uid ?? "";
  } catch {
    return "";
  }
}

/** The memory without the words of the platform, which may quote anything. */
function memorable(memory: JsonObject): JsonObject | undefined {
  const kept = withoutMessages(memory);
  const isEmpty = Object.values(kept).every((value) => value === undefined);
  return isEmpty || Buffer.byteLength(JSON.stringify(kept)) > MEMORY_BYTES ? undefined : kept;
}

function withoutMessages(object: JsonObject): JsonObject {
  const members = Object.entries(object).filter(([name, value]) => name !== "message" && value !== undefined);
  return Object.fromEntries(members.map(([name, value]): [string, Json | undefined] => [name, inner(value)]));
}

function inner(value: Json | undefined): Json | undefined {
  return isObject(value) ? withoutMessages(value) : value;
}
