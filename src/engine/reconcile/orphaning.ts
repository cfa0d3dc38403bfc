/** Records the objects that stay on the platform after their resources are deleted. */
import { isObject, member } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { Json, JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import { recordedTenant } from "../contract/keys.ts";
import type { Kind, PolicyDefaults, Uuid } from "../contract/kind.ts";
import { nonEmptyText, recordedIdIn, statusOf } from "../contract/status.ts";
import type { RecordedIdentity } from "../ledger/identity.ts";
import { externalNameOf, signed, type Orphan } from "../orphans/orphan.ts";
import { NO_DEFAULTS, defaultsIn, policiesOf } from "../policies/policy.ts";
import { lastUsed } from "../resolve/connection.ts";

/** The facts about an object that stays on the platform. */
interface OrphanInput {
  readonly object: KubeObject;
  readonly id: Uuid;
  /** Retain, Stop, or the reason why it could not be deleted. */
  readonly why: string;
  /** The identity that this reconcile worked with; else the recorded one counts. */
  readonly recordedIdentity?: RecordedIdentity | undefined;
  /** The memory that is not stored yet. */
  readonly memory?: JsonObject | undefined;
}

/** The reason in the event of an object that stays as the policy says. */
export const RETAINED = "deletionPolicy is Retain.";

/** One read serves many objects of a namespace that is deleted as a whole. */
export const NAMESPACE_MAX_AGE_MS = 60_000;
/** The largest memory of an entry, in bytes. A larger one is left out, as after the loss of a status. */
const MEMORY_BYTES = 8 * 1_024;

/**
 * Returns the signed entry of an object that stays.
 * @returns undefined if the object is no orphan, another installation recorded it, or another resource holds it
 */
export async function orphanOf(
  ports: Ports,
  kind: Kind,
  { object, id, why, recordedIdentity, memory }: OrphanInput,
): Promise<Orphan | undefined> {
  const recorded = recordedIdentity ?? recordedPlace(object);
  if (kind.resource.lifecycle !== "Managed" || !isOurs(ports, object, id, recorded)) return undefined;
  const { host, organizationId, installation, parentId } = recorded;
  const { namespace, name } = keyOf(object);
  const externalName = externalNameOf(object);
  const kept = memoryToKeep(kind.resource.memory.parse(memory ?? statusOf(object)));
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
  return signed(entry, ports.key);
}

type Recorded = Omit<RecordedIdentity, "connectionUid">;

/** Returns where the id was recorded, from the status. */
function recordedPlace(object: KubeObject): Recorded {
  const identity = member(object.status, "identity");
  const parentId = nonEmptyText(member(identity, "parentId"));
  const installation = nonEmptyText(member(identity, "installation")) ?? "";
  return { ...recordedTenant(object), installation, ...(parentId === undefined ? {} : { parentId }) };
}

/** Reports whether this installation recorded the object, and no other resource holds it. */
function isOurs(ports: Ports, object: KubeObject, id: Uuid, recorded: Recorded): boolean {
  if (recorded.installation !== ports.installation || recorded.host === "" || recorded.organizationId === "")
    return false;
  return ports.idOwnership.holder(id, object, recorded) === undefined;
}

/** Returns the note of the event about an object that stays on the platform. @param what e.g. "the object <id>" */
export function orphanedMessage(what: string, because: string): string {
  return `The platform keeps ${what}: ${because}`;
}

/**
 * Records the orphan of a resource that is gone already, with an event once it is stored. Under Retain no finalizer
 * holds the resource, so this is best effort: a deletion that no process watched is not recorded.
 */
export function recordOrphan(ports: Ports, kind: Kind, object: KubeObject): void {
  const id = recordedIdIn(object);
  const { deletion, management } = policiesOf(object, defaultsFor(ports, object));
  if (ports.dryRun || id === undefined || deletion !== "Retain" || management === "ObserveOnly") return;
  ports.orphans.expect(orphanOf(ports, kind, { object, id, why: "Retain" }), () => {
    const note = orphanedMessage(`the object ${id}`, RETAINED);
    ports.events.record({ regarding: object, action: "Delete", type: "Normal", reason: "Orphaned", note });
  });
}

/** Returns the defaults of the object's connection: as it is now, or, if it is gone, as it was last. */
export function defaultsFor(ports: Ports, object: KubeObject): PolicyDefaults {
  const found = ports.route(object);
  const connection = found.is === "found" ? ports.cache.get(found.key) : undefined;
  if (connection !== undefined) return defaultsIn(connection);
  return lastUsed(ports, object)?.settings.defaults ?? NO_DEFAULTS;
}

/** Returns the uid of a namespace; "" if it cannot be read or is gone: then only the signature proves the entry. */
async function uidOf({ namespaces }: Ports, namespace: string): Promise<string> {
  try {
    return (await namespaces.get(namespace, NAMESPACE_MAX_AGE_MS))?.uid ?? "";
  } catch {
    return "";
  }
}

/** Returns the memory without the platform's messages, which may quote anything; undefined if empty or too large. */
function memoryToKeep(memory: JsonObject): JsonObject | undefined {
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
