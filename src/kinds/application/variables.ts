/** The variables that a spec declares, and what of them is on the platform. Pure. */
import { sameContent, type ConditionFact, type Needs } from "../../engine/kind.ts";
import type { ApplicationSpec } from "../../resources/application.ts";
import { inputsOf, type InputVariable } from "../variables.ts";
import type { ApplicationPass, Inputs, Seen } from "./model.ts";

/** The variables with their values, and what stands for them. */
export function inputVariables(
  spec: ApplicationSpec,
  resolved: Parameters<Needs<Inputs>["inputs"]>[0],
): Pick<Inputs, "variables" | "fingerprint"> {
  const variables = inputsOf(spec.variables, resolved);
  return {
    variables,
    fingerprint: resolved.fingerprint(variables.map(({ name, value, isSecret: secret }) => [name, value, secret])),
  };
}

/** Whether the variables were sent as they are now. Those of a service that we found deployed count if their keys are there. */
export function variablesSent(pass: ApplicationPass, seen: Seen): boolean {
  const { variables, fingerprint } = pass.inputs;
  if (variables.length === 0) return true;
  const written = pass.memory.written?.variables;
  if (written !== undefined) return sameContent(written, fingerprint);
  return seen.keys !== undefined && variables.every(({ name }) => seen.keys?.has(name));
}

/** Secrets that were sent, but that the platform kept as they were: an import never replaces a secret (api-behaviour §1). */
export function pendingSecrets(pass: ApplicationPass): readonly InputVariable[] {
  const { written } = pass.memory;
  if (written?.variables === undefined || !sameContent(written.variables, pass.inputs.fingerprint)) return [];
  const taken = new Set(written.variableNames);
  return pass.inputs.variables.filter(({ name }) => !taken.has(name));
}

/** The condition VariablesSynced; none without variables. */
export function variablesCondition(pass: ApplicationPass, seen: Seen): readonly ConditionFact[] {
  if (pass.inputs.variables.length === 0) return [];
  const pending = pendingSecrets(pass).map(({ name }) => name);
  if (!variablesSent(pass, seen)) {
    return [
      {
        type: "VariablesSynced",
        status: "False",
        reason: "VariablesPending",
        message: "The variables were not sent yet.",
      },
    ];
  }
  if (pending.length > 0) {
    const message = `The platform did not take over ${pending.join(", ")}: an import does not replace what exists as a secret. Remove it on the platform, or rename it.`;
    return [{ type: "VariablesSynced", status: "False", reason: "VariablesPending", message }];
  }
  return [
    {
      type: "VariablesSynced",
      status: "True",
      reason: "VariablesSynced",
      message: "All variables are on the platform.",
    },
  ];
}
