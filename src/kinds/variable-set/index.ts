/** PlatformVariableSet: variables and secrets imported into applications, and removed where the set wrote them. */
import type { FieldClaim, Kind, Needs, ResolvedNeeds, ValueRequest } from "../../engine/contract/kind.ts";
import { listsEntry } from "../variables/compare.ts";
import { type InputVariable, resolvedVariables, variableRequests, wantedVariables } from "../variables/declared.ts";
import { removalOf } from "../variables/plan.ts";
import { platformVariableSet, type VariableSetMemory, type VariableSetSpec } from "./crd.ts";
import { type Inputs, ownedIn, type TargetInput, type VariableSetTypes } from "./model.ts";
import { isVerified, observe } from "./observe.ts";
import { plan, claimedFields } from "./plan.ts";
import { report } from "./report.ts";
import { act, prepare } from "./requests.ts";

export const variableSet: Kind<VariableSetTypes> = {
  resource: platformVariableSet,
  operations: (spec) => ({ delete: removalsOf(spec) }),
  needs,
  claim: () => undefined,
  fieldClaims: ({ memory, inputs }) => (inputs === undefined ? heldFields(memory) : wantedFields(inputs, memory)),
  observe,
  shows: ({ action: step }, _context, { targets }) => {
    const state = targets.get(step.id);
    return state?.is === "shown" && step.what !== "import" && listsEntry(state.lists, step.entryId);
  },
  plan,
  prepare,
  act,
  trace: () => Promise.resolve({ is: "absent" }),
  report,
};

/** Returns the variables that a set wrote, and when it last wrote to each application. */
function heldFields(memory: VariableSetMemory): readonly FieldClaim[] {
  return (memory.targets ?? []).flatMap(({ applicationId: id }) => {
    const { variables = [], writtenAt } = ownedIn(memory, id) ?? {};
    return [
      { id, writtenAt },
      ...variables.flatMap(({ key, digest }) => (digest === undefined ? [] : [{ id, field: key, writtenAt }])),
    ];
  });
}

/**
 * Returns the fields that a set is about to write. A set that overwrites nothing claims nothing before it has written.
 * No set claims anything in an application that is not verified: it may be another team's.
 */
function wantedFields(inputs: Inputs, memory: VariableSetMemory): readonly FieldClaim[] {
  if (!inputs.overwrite) return [];
  const targets = inputs.targets.filter(({ id }) => id !== undefined && isVerified({ inputs, memory }, id));
  return claimedFields({ ...inputs, targets }).map(({ id, field }) => ({ id, field }));
}

const targetField = (index: number): string => `spec.targets[${index}].applicationRef`;
const sourceField = (index: number): string => `spec.variablesFrom[${index}]`;

/** The pattern of names in `spec.variables`. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;

/** Returns the applications and values that a spec refers to, and builds the inputs from them. */
export function needs(spec: VariableSetSpec): Needs<Inputs> {
  return {
    references: spec.targets.map(({ applicationRef: { name, externalId } }, index) => ({
      field: targetField(index),
      kind: "PlatformApplication",
      name,
      externalId,
      optional: true,
    })),
    values: [...variableRequests(spec.variables), ...spec.variablesFrom.map(sourceRequest)],
    inputs: (resolved) => setInputs(spec, resolved),
  };
}

/** Returns the operations that remove what a set writes. */
export function removalsOf({ variables, variablesFrom }: Pick<VariableSetSpec, "variables" | "variablesFrom">) {
  const secrets = [
    ...variables.map(({ secret, valueFrom }) => secret ?? valueFrom?.secretKeyRef !== undefined),
    ...variablesFrom.map(({ secret, secretRef }) => secret ?? secretRef !== undefined),
  ];
  return [...new Set(secrets.map(removalOf))].toSorted();
}

type Source = VariableSetSpec["variablesFrom"][number];

function sourceRequest(source: Source, index: number): ValueRequest {
  const { secretRef, configMapRef } = source;
  const from = secretRef === undefined ? "ConfigMap" : "Secret";
  const takes = (key: string): boolean => NAME.test(variableName(source, key));
  return { field: sourceField(index), from, name: (secretRef ?? configMapRef)?.name ?? "", takes };
}

function variableName({ prefix = "" }: Source, key: string): string {
  return `${prefix}${key}`;
}

function setInputs(spec: VariableSetSpec, resolved: ResolvedNeeds): Inputs {
  const { merged, skipped } = mergedVariables(spec, resolved);
  const variables = [...merged.values()].map((one): InputVariable => ({ ...one, scope: one.scope ?? spec.scope }));
  return { ...wantedVariables(variables, spec.overwrite, resolved), targets: targets(spec, resolved), skipped };
}

/** Merges sources: a later source wins, and the spec's own variables win over all (like `envFrom` of Kubernetes). */
function mergedVariables(
  spec: VariableSetSpec,
  resolved: ResolvedNeeds,
): { readonly merged: ReadonlyMap<string, InputVariable>; readonly skipped: readonly string[] } {
  const merged = new Map<string, InputVariable>();
  const skipped: string[] = [];
  for (const [index, source] of spec.variablesFrom.entries()) {
    const isSecret = source.secret ?? source.secretRef !== undefined;
    for (const [key, value] of resolved.all(sourceField(index))) {
      const name = variableName(source, key);
      if (NAME.test(name)) merged.set(name, { name, value, isSecret, scope: source.scope });
      else skipped.push(`${sourceName(source)} key "${key}"`);
    }
  }
  for (const variable of resolvedVariables(spec.variables, resolved)) merged.set(variable.name, variable);
  return { merged, skipped: skipped.toSorted() };
}

function sourceName({ secretRef, configMapRef }: Source): string {
  return secretRef === undefined ? `ConfigMap "${configMapRef?.name}"` : `Secret "${secretRef.name}"`;
}

/** Returns each application once, even if it is named by its resource and by its id. */
function targets(spec: VariableSetSpec, resolved: ResolvedNeeds): readonly TargetInput[] {
  const all = spec.targets.map(({ applicationRef: { name, externalId } }, index): TargetInput => ({
    // A target that is given by its id has no name, even if a resource represents it.
    name: externalId === undefined ? name : undefined,
    id: externalId ?? resolved.idIfAny(targetField(index)),
  }));
  return all.filter(({ id }, index) => id === undefined || all.findIndex((other) => other.id === id) === index);
}
