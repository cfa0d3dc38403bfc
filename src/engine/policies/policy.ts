/** The policies that a user sets beside a kind's own fields, on the object or on its connection. */
import { z } from "zod";

import { FLUX_REQUESTED_AT, RECONCILE_REQUESTED_AT, REDEPLOY_REQUESTED_AT } from "../../api/names.ts";
import { isObject, member } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { PolicyDefaults } from "../contract/connection.ts";
import type { ContextPolicies, Ms, StatusReason } from "../contract/kind.ts";
import { parseDuration } from "../contract/requeue.ts";
import { nonEmptyText, recordedIdIn } from "../contract/status.ts";

/** The annotations that carry a reconcile request. */
export const REQUEST_ANNOTATIONS = [RECONCILE_REQUESTED_AT, FLUX_REQUESTED_AT] as const;

/** Returns the user's reconcile request that was not handled yet. */
export function requestedToken(object: KubeObject): string | undefined {
  const annotations = object.metadata.annotations;
  const token = annotations?.[RECONCILE_REQUESTED_AT] ?? annotations?.[FLUX_REQUESTED_AT];
  return token === undefined || token === member(object.status, "lastHandledReconcileAt") ? undefined : token;
}

/**
 * Returns the value of the annotation redeploy-requested-at that was not handled yet. The request counts for an object
 * that the status records: a new one is deployed anyway, and with a lost status it is not known whether it was handled.
 */
export function redeployToken(object: KubeObject): string | undefined {
  return recordedIdIn(object) === undefined ? undefined : unhandledRedeploy(object);
}

/** Returns the value of the annotation that the status does not answer, whether or not an object is recorded. */
export function unhandledRedeploy(object: KubeObject): string | undefined {
  const token = object.metadata.annotations?.[REDEPLOY_REQUESTED_AT];
  return token === member(object.status, "lastHandledRedeployAt") ? undefined : token;
}

/** Reports whether the user requests something of the object by an annotation that was not handled yet. */
export function isRequested(object: KubeObject): boolean {
  return requestedToken(object) !== undefined || redeployToken(object) !== undefined;
}

/** Reports whether the policy forbids every write to an object that exists on the platform. */
export function forbidsWrites(
  { management }: Pick<Policies, "management">,
  appliedGeneration: number | undefined,
): boolean {
  return management === "ObserveOnly" || (management === "CreateOnly" && appliedGeneration !== undefined);
}

const milliseconds = z.string().transform((written): Ms => parseDuration(written) ?? 0);

const PROGRESS_DEADLINE_MS = 3_600_000;

/** `spec.lifecycle`. An invalid member counts as absent: the kind's own schema has reported it. */
const lifecycle = z.object({
  managementPolicy: z.enum(["Manage", "ObserveOnly", "CreateOnly"]).optional().catch(undefined),
  adoptionPolicy: z.enum(["Never", "IfUniqueName", "Required"]).optional().catch(undefined),
  deletionPolicy: z.enum(["Retain", "Delete", "Stop"]).optional().catch(undefined),
  onMissing: z.enum(["Fail", "Recreate"]).optional().catch(undefined),
  driftPolicy: z.enum(["Correct", "Report"]).optional().catch(undefined),
  applyPolicy: z.enum(["Automatic", "Manual"]).optional().catch(undefined),
  retry: z
    .object({ limit: z.int(), backoff: milliseconds.default(300_000) })
    .optional()
    .catch(undefined),
  progressDeadline: milliseconds.default(PROGRESS_DEADLINE_MS).catch(PROGRESS_DEADLINE_MS),
});

const runSchedule = z
  .array(z.object({ schedule: z.string(), duration: milliseconds, timeZone: z.string().default("UTC") }).readonly())
  .optional()
  .catch(undefined);

/** One of the recurring windows of `spec.runSchedule`. */
export type RecurringWindow = NonNullable<z.output<typeof runSchedule>>[number];

/** The values of spec.lifecycle, spec.runSchedule and of the connection's defaults; else the documented defaults. */
export type Policies = ReturnType<typeof policiesOf>;

export const NO_DEFAULTS: PolicyDefaults = { lifecycle: {}, pollInterval: undefined };

const CORRECTS = { Correct: "Everything", Report: "Nothing", absent: "Settings" } as const;

/** Returns the policies of an object. @param manual whether steps of the kind wait for approval by default */
export function policiesOf(object: KubeObject, defaults: PolicyDefaults, manual = false) {
  const own = member(object.spec, "lifecycle");
  const said = lifecycle.parse({ ...defaults.lifecycle, ...(isObject(own) ? own : {}) });
  const management = said.managementPolicy ?? "Manage";
  return {
    management,
    // undefined: the default, which depends on kind and parent.
    adoption: said.adoptionPolicy,
    deletion: management === "ObserveOnly" ? "Retain" : (said.deletionPolicy ?? "Retain"),
    onMissing: management === "Manage" ? (said.onMissing ?? "Fail") : "Fail",
    corrects: management === "Manage" ? CORRECTS[said.driftPolicy ?? "absent"] : "Nothing",
    manual: said.applyPolicy === undefined ? manual : said.applyPolicy === "Manual",
    runSchedule: runSchedule.parse(member(object.spec, "runSchedule")),
    retry: said.retry && { limit: said.retry.limit, backoffMs: said.retry.backoff },
    // How long the platform may stay in one state before that is reported; 0: for ever.
    progressDeadlineMs: said.progressDeadline,
  };
}

/** Returns the defaults of a connection object. */
export function defaultsIn(connection: KubeObject): PolicyDefaults {
  const stated = member(connection.spec, "defaults");
  const said = member(stated, "lifecycle");
  return { lifecycle: isObject(said) ? said : {}, pollInterval: nonEmptyText(member(stated, "pollInterval")) };
}

/**
 * Returns the adoption policy: as set; else IfUniqueName if a list exists and the parent is managed here; else Never.
 */
export function adoptionPolicy(
  said: Policies["adoption"],
  facts: { readonly listable: boolean; readonly parentManagedHere: boolean },
): ContextPolicies["adoption"] {
  return said ?? (facts.listable && facts.parentManagedHere ? "IfUniqueName" : "Never");
}

/** Returns which fields of a spec are wrong, and why. Values are not quoted. */
export function invalidSpec(error: z.ZodError): StatusReason {
  const issues = error.issues
    .slice(0, 5)
    .map((issue) => `${["spec", ...issue.path.map(String)].join(".")}: ${issue.message}`);
  const more = error.issues.length > 5 ? ` (and ${error.issues.length - 5} more)` : "";
  return { reason: "InvalidSpec", message: `${issues.join("; ")}${more}.` };
}
