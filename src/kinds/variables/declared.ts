/** Variables of specs, with a value in the spec, or from a Secret or a ConfigMap. Pure. */
import type { ValueFrom } from "../../api/fields.ts";
import type { Fingerprint, Ms, ReconcileContext, ResolvedNeeds, ValueRequest } from "../../engine/contract/kind.ts";
import type { ImportInput } from "../../platform/areas/variables.ts";

/** A variable with its value. */
export interface InputVariable {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
  /** In the platform's spelling; undefined where the spec sets none. */
  readonly scope?: string | undefined;
}

/** The largest time between an import and `created_at` of its entries, and the largest lag of a list. */
export const LANDING_MS = 60_000;

/** When an entry was created and last changed, as the platform shows it. */
interface Times {
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
}

/** Reports whether an entry may come from an import at that time; true where the platform does not show its time. */
export function createdByImport({ createdAt }: Times, sentAt: string | undefined): boolean {
  return !(Math.abs(Date.parse(createdAt ?? "") - Date.parse(sentAt ?? "")) > LANDING_MS);
}

/** Reports whether nobody changed an entry since it was created. */
export function isUntouched({ createdAt, updatedAt }: Times): boolean {
  return !(Date.parse(updatedAt ?? "") > Date.parse(createdAt ?? ""));
}

/** Reports whether an entry is the application's own, as far as its scope is shown: lists hold inherited ones too. */
export function isOfApplication({ scope }: { readonly scope?: string | undefined }): boolean {
  return scope === undefined || scope === "APPLICATION";
}

/** How often variables that the platform does not take for no visible reason are sent, and the first interval. */
const ATTEMPTS = 3;
const RETRY_MS = 30_000;
/** How long after an import a reconcile request sends nothing, so that one request does not send variables twice. */
const REQUEST_PAUSE_MS = 5_000;

/** What is remembered of an import that left variables out. */
interface Incomplete {
  readonly attempts?: number | undefined;
  readonly sentAt?: string | undefined;
}

/** Returns whether variables that an import left out are sent now, later or never. @param now the platform's clock */
export function retryDecision(
  { attempts = 0, sentAt }: Incomplete,
  now: Date | undefined,
): "send" | "later" | "refused" {
  if (attempts >= ATTEMPTS) return "refused";
  return sinceSent(sentAt, now) < attempts * RETRY_MS ? "later" : "send";
}

/** Reports whether the user requests that they are sent once more. @param now the platform's clock */
export function retryRequested(
  { requested }: Pick<ReconcileContext, "requested">,
  { sentAt }: Incomplete,
  now: Date | undefined,
): boolean {
  return requested !== undefined && !(sinceSent(sentAt, now) < REQUEST_PAUSE_MS);
}

function sinceSent(sentAt: string | undefined, now: Date | undefined): Ms {
  return (now?.getTime() ?? 0) - Date.parse(sentAt ?? "");
}

/** A variable of a spec: exactly one of `value` and `valueFrom`. */
export interface DeclaredVariable {
  readonly name: string;
  readonly value?: string | undefined;
  readonly valueFrom?: ValueFrom | undefined;
  readonly secret?: boolean | undefined;
  readonly scope?: string | undefined;
}

const fieldOf = (name: string): string => `spec.variables[${name}]`;

/** Returns the request for the value of a field, where it comes from a Secret or a ConfigMap. */
export function requestsOf(field: string, valueFrom: ValueFrom | undefined): readonly ValueRequest[] {
  if (valueFrom?.secretKeyRef !== undefined) return [{ field, from: "Secret", ...valueFrom.secretKeyRef }];
  if (valueFrom?.configMapKeyRef !== undefined) return [{ field, from: "ConfigMap", ...valueFrom.configMapKeyRef }];
  return [];
}

/** Returns the values that the variables of a spec need. */
export function variableRequests(variables: readonly DeclaredVariable[]): readonly ValueRequest[] {
  return variables.flatMap(({ name, valueFrom }) => requestsOf(fieldOf(name), valueFrom));
}

/**
 * Returns the variables of a spec with their values, by name. A value from a Secret is a secret unless the spec says
 * otherwise.
 */
export function resolvedVariables(
  variables: readonly DeclaredVariable[],
  resolved: Pick<ResolvedNeeds, "value">,
): readonly InputVariable[] {
  return variables
    .map(({ name, value, valueFrom, secret, scope }): InputVariable => ({
      name,
      value: value ?? resolved.value(fieldOf(name)),
      isSecret: secret ?? valueFrom?.secretKeyRef !== undefined,
      ...(scope !== undefined && { scope }),
    }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

export interface VariableInputs {
  readonly variables: readonly InputVariable[];
  /** The fingerprint of all variables. */
  readonly fingerprint: Fingerprint;
}

/** Returns the variables of a spec with their values, and the fingerprint of all. */
export function variableInputs(variables: readonly DeclaredVariable[], resolved: ResolvedNeeds): VariableInputs {
  const inputs = resolvedVariables(variables, resolved);
  return {
    variables: inputs,
    fingerprint: resolved.fingerprint(inputs.map(({ name, value, isSecret }) => [name, value, isSecret])),
  };
}

/**
 * Returns the variables as an import takes them. Deployed services require a scope for each, and the specification does
 * not have one: on the surface Full, a variable without a scope gets
 * APPLICATION (docs/architecture.md §9).
 */
export function importItems(
  context: Pick<ReconcileContext, "isFull">,
  variables: readonly InputVariable[],
): ImportInput["vars"] {
  const usual = context.isFull ? "APPLICATION" : undefined;
  return variables.map(({ name, value, isSecret, scope = usual }) => ({
    name,
    value,
    isSecret,
    ...(scope !== undefined && { scope }),
  }));
}
