/** What the user says about an object beside its kind's own fields. */
import type { z } from "zod";

import { member } from "../kube/json.ts";
import type { KubeObject } from "../kube/types.ts";
import { RECONCILE_REQUESTED_AT } from "../resources/base/names.ts";
import type { Why } from "./kind.ts";
import { text } from "./status.ts";

/** Flux's own annotation for the same request. */
const FLUX_REQUESTED_AT = "reconcile.fluxcd.io/requestedAt";

/** The annotations that carry a reconcile request. */
export const REQUEST_ANNOTATIONS = [RECONCILE_REQUESTED_AT, FLUX_REQUESTED_AT] as const;

/** The user's reconcile request that was not handled yet. */
export function requestedToken(object: KubeObject): string | undefined {
  const annotations = object.metadata.annotations;
  const token = annotations?.[RECONCILE_REQUESTED_AT] ?? annotations?.[FLUX_REQUESTED_AT];
  return token === undefined || token === member(object.status, "lastHandledReconcileAt") ? undefined : token;
}

export type AdoptionPolicy = "Never" | "IfUniqueName" | "Required";

/** spec.lifecycle.adoptionPolicy, or its default: IfUniqueName where a list exists and the parent is managed here. */
export function adoptionPolicy(
  object: KubeObject,
  facts: { readonly listable: boolean; readonly parentManagedHere: boolean },
): AdoptionPolicy {
  const asked = text(member(member(object.spec, "lifecycle"), "adoptionPolicy"));
  if (asked === "Never" || asked === "IfUniqueName" || asked === "Required") return asked;
  return facts.listable && facts.parentManagedHere ? "IfUniqueName" : "Never";
}

/** spec.lifecycle.deletionPolicy, or its default. */
export function deletionPolicy(object: KubeObject): "Retain" | "Delete" | "Stop" {
  const policy = text(member(member(object.spec, "lifecycle"), "deletionPolicy"));
  return policy === "Delete" || policy === "Stop" ? policy : "Retain";
}

/** Which fields of a spec are wrong, and why. Values are not quoted. */
export function invalidSpec(error: z.ZodError): Why {
  const issues = error.issues
    .slice(0, 5)
    .map((issue) => `${["spec", ...issue.path.map(String)].join(".")}: ${issue.message}`);
  const more = error.issues.length > 5 ? ` (and ${error.issues.length - 5} more)` : "";
  return { reason: "InvalidSpec", message: `${issues.join("; ")}${more}.` };
}
