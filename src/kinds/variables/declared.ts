/** Variables of specs, with a value in the spec, or from a Secret or a ConfigMap. Pure. */
import type { ValueFrom } from "../../api/fields.ts";
import type { Fingerprint, ReconcileContext, ResolvedNeeds, ValueRequest } from "../../engine/contract/kind.ts";
import type { ImportInput } from "../../platform/areas/variables.ts";

/** A variable with its value. */
export interface InputVariable {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
  /** In the platform's spelling; undefined where the spec sets none. */
  readonly scope?: string | undefined;
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

/** A variable that an application is to have. */
export interface WantedVariable extends InputVariable {
  /** Digest of its name and value, under the key of the installation. */
  readonly digest: string;
}

/** The variables that a resource declares for an application. */
export interface Wanted {
  /** By name, each once. */
  readonly variables: readonly WantedVariable[];
  /** The fingerprint of all variables. */
  readonly fingerprint: Fingerprint;
  /** Whether variables of the same names that the resource did not write are replaced. */
  readonly overwrite: boolean;
}

/** Returns what a resource declares. @param inputs its variables, each name once */
export function wantedVariables(
  inputs: readonly InputVariable[],
  overwrite: boolean,
  resolved: Pick<ResolvedNeeds, "fingerprint">,
): Wanted {
  const variables = inputs
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map((one) => ({ ...one, digest: resolved.fingerprint(digestedContent(one)).digest }));
  const content = variables.map(({ name, value, isSecret, scope = "" }) => [name, value, isSecret, scope]);
  return { variables, fingerprint: resolved.fingerprint([overwrite, ...content]), overwrite };
}

/** Returns the content of which digests of variables are made, of the spec's and of the platform's. */
export function digestedContent({ name, value }: Pick<InputVariable, "name" | "value">): [string, string] {
  return [name, value];
}

/**
 * Returns the variables as an import takes them. Deployed services require a scope for each, and the specification does
 * not have one: on the surface Full, a variable without a scope gets APPLICATION
 * (docs/project/architecture.md §9).
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
