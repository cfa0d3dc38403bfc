/**
 * Determines which object of the platform a custom resource represents, and whether this installation wrote its records
 * (docs/architecture.md §7). Sends no request.
 */
import { isUuid } from "../../api/fields.ts";
import { EXTERNAL_ID, INSTALLATION, INTENT } from "../../api/names.ts";
import { answerCommand, isAnswered } from "../../api/resolve.ts";
import { member } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import type { IdentitySource, Uuid, Why } from "../contract/kind.ts";
import { nonEmptyText, recordedIdentityIn, recordedIdIn } from "../contract/status.ts";
import { readSlot } from "./ledger.ts";

/** What is recorded in `status.identity` with an id. */
export interface RecordedIdentity {
  readonly connectionUid: string;
  readonly host: string;
  readonly organizationId: Uuid;
  readonly parentId?: Uuid;
  readonly installation: string;
}

export type Identity =
  | { readonly is: "none" }
  | { readonly is: "known"; readonly id: Uuid; readonly identitySource: IdentitySource }
  | { readonly is: "refused"; readonly why: Why };

/**
 * Returns the identity of a resource. The status is the authority, the annotation its backup, spec.externalId the
 * user's claim. Where they differ, the status wins; a spec.externalId that contradicts it is refused, except by a
 * deletion, which deletes what is recorded.
 */
export function identify(object: KubeObject): Identity {
  const recorded = recordedIdIn(object);
  const given = nonEmptyText(member(object.spec, "externalId"));
  if (recorded !== undefined) {
    const isDeleted = object.metadata.deletionTimestamp !== undefined;
    if (given !== undefined && given !== recorded && !isDeleted) {
      const message = `spec.externalId is ${given}, but this resource already manages ${recorded}. Remove or correct spec.externalId, or create another resource for the other object.`;
      return { is: "refused", why: { reason: "InvalidSpec", message } };
    }
    return { is: "known", id: recorded, identitySource: "recorded" };
  }
  if (given !== undefined) return { is: "known", id: given, identitySource: "given" };
  const claimed = object.metadata.annotations?.[EXTERNAL_ID];
  if (claimed !== undefined && isUuid(claimed)) return { is: "known", id: claimed, identitySource: "claimed" };
  return { is: "none" };
}

/**
 * Checks whether another installation wrote the records of an object. The answer `adopt:<installation>` on the object,
 * or on its connection for all objects of the connection, allows this installation to adopt the records.
 * @returns the reason to write nothing; undefined if the object may be written to
 */
export function checkInstallation(ports: Ports, object: KubeObject): Why | undefined {
  const recorded = recordedIdentityIn(object, "installation");
  const annotations = object.metadata.annotations ?? {};
  const installation = recorded ?? annotations[INSTALLATION] ?? installationOf(annotations[INTENT]);
  if (installation === undefined || installation === ports.installation) return undefined;
  const found = ports.route(object);
  const connection = found.is === "found" ? ports.cache.get(found.key) : undefined;
  const answer = `adopt:${installation}` as const;
  if ([object, connection].some((one) => one !== undefined && isAnswered(one, answer))) return undefined;
  const message =
    `Another installation of the operator (kube-system uid ${installation}) wrote this resource's records, perhaps the ` +
    `cluster that this one was restored from. Nothing is written. To take it over after the other installation has ` +
    `stopped, run: ${answerCommand(keyOf(object), answer)} (the same on its connection takes over all of its objects)`;
  return { reason: "ForeignLedger", message };
}

/** Returns the installation that wrote an intent. Before the first record, only the intent names it. */
function installationOf(raw: string | undefined): string | undefined {
  const slot = readSlot(raw);
  return slot.is === "open" ? slot.intent.installation : undefined;
}

/**
 * Compares the recorded identity with the one that the spec leads to now.
 * @param now the identity that a record made now would have
 * @returns the reason not to write anything; undefined when nothing differs. A connection that was created again with
 * the same host and organization is the same connection.
 */
export function identityMismatch(object: KubeObject, now: RecordedIdentity): Why | undefined {
  const pinned = member(object.status, "identity");
  const host = nonEmptyText(member(pinned, "host"));
  const organizationId = nonEmptyText(member(pinned, "organizationId"));
  const parentId = nonEmptyText(member(pinned, "parentId"));
  if (
    (host !== undefined && host !== now.host) ||
    (organizationId !== undefined && organizationId !== now.organizationId)
  ) {
    const message = `This resource was recorded on ${host ?? "another host"}, organization ${organizationId ?? "unknown"}; its connection now leads to ${now.host}, organization ${now.organizationId}. Change the connection back, or create a new resource.`;
    return { reason: "ConnectionChanged", message };
  }
  if (parentId !== undefined && now.parentId !== undefined && parentId !== now.parentId) {
    const message = `This resource was recorded under the parent ${parentId}; its reference now leads to ${now.parentId}. Change the reference back, or create a new resource.`;
    return { reason: "ParentChanged", message };
  }
  return undefined;
}
