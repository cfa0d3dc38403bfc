/** The variables that a spec declares, and what of them is on the platform. Pure. */
import { sameContent, type ConditionFact, type JsonObject, type Needs } from "../../engine/contract/kind.ts";
import { everDeployed } from "../service/baseline.ts";
import { faultCondition } from "../shared/side-read.ts";
import { inputsOf, isOfThen, isUntouched, type InputVariable } from "../shared/variables.ts";
import type { ApplicationSpec } from "./crd.ts";
import type { ApplicationMemory } from "./crd.ts";
import type { ApplicationPass, Do, Inputs, Seen } from "./model.ts";

/** The variables with their values, and what stands for them. */
export function inputVariables(
  spec: ApplicationSpec,
  resolved: Parameters<Needs<Inputs>["inputs"]>[0],
): Omit<Inputs, "environmentId"> {
  const variables = inputsOf(spec.variables, resolved);
  return {
    variables,
    fingerprint: resolved.fingerprint(variables.map(({ name, value, isSecret: secret }) => [name, value, secret])),
    secrets: new Map(
      variables
        .filter(({ isSecret }) => isSecret)
        .map(({ name, value }) => [name, resolved.fingerprint([name, value]).digest]),
    ),
  };
}

/** Whether the variables were sent as they are now. Those of a service that we found deployed count if their keys are there. */
export function variablesSent(context: ApplicationPass, seen: Seen): boolean {
  const { variables, fingerprint } = context.inputs;
  if (variables.length === 0) return true;
  const written = context.memory.written?.variables;
  if (written !== undefined) return sameContent(written, fingerprint);
  return seen.keys !== undefined && variables.every(({ name }) => seen.keys?.has(name));
}

/**
 * Whether the service was deployed before we came and nothing tells what was sent to it: what was written always has
 * settings, unless what it says cannot be read.
 */
export function isForeign({ memory: { written, lastDeployment } }: ApplicationPass, status: Seen["status"]): boolean {
  const isUnknown = lastDeployment === undefined || written?.settings === undefined;
  return written?.variables === undefined && isUnknown && everDeployed(status);
}

/** Secrets that were sent, but that the platform kept as they were: some platforms replace no secret by an import. */
export function pendingSecrets(context: ApplicationPass): readonly InputVariable[] {
  const { written } = context.memory;
  if (written?.variables === undefined || !sameContent(written.variables, context.inputs.fingerprint)) return [];
  const taken = new Set(written.variableNames);
  return context.inputs.variables.filter(({ name }) => !taken.has(name));
}

type Written = NonNullable<ApplicationMemory["written"]>;

/**
 * Before an import on a surface that cannot replace secrets: those of which there is none yet. After a crash the ones
 * that it made are known by that, and hold what was sent.
 */
export function prepare(step: Do, context: ApplicationPass, seen: Seen): ApplicationMemory | undefined {
  if (step.what !== "import" || context.supports("updateSecret") === "Supported" || seen.secrets === undefined)
    return undefined;
  const { written } = context.memory;
  const sent = written?.sentSecrets ?? [];
  const listed = new Set(seen.secrets.map(({ key }) => key));
  const fresh = [...context.inputs.secrets].filter(([key]) => !listed.has(key));
  // Where another value is on its way as well, nobody knows which of the two makes the entry.
  const clear = fresh.filter(([key, digest]) => sent.every((one) => one.key !== key || one.digest === digest));
  if (clear.length === 0) return undefined;
  const at = seen.serverNow?.toISOString() ?? "";
  const others = sent.filter(({ key }) => listed.has(key));
  return {
    ...context.memory,
    written: { ...written, sentSecrets: [...others, ...clear.map(([key, digest]) => ({ key, digest, at }))] },
  };
}

/** What was noted of the secrets before the first import. */
export function keep({ written }: ApplicationMemory): JsonObject | undefined {
  const { sentSecrets } = written ?? {};
  return sentSecrets && { written: { sentSecrets } };
}

/** What was written by an import of which the platform took over these names. */
export function imported(context: ApplicationPass, seen: Seen, taken: readonly string[]): Written {
  const { fingerprint, variables } = context.inputs;
  const names = variables
    .map(({ name }) => name)
    .filter((name) => taken.includes(name) || isInPlace(context, seen, name));
  const { sentSecrets: _, ...written } = context.memory.written ?? {};
  return { ...written, variables: { ...fingerprint }, variableNames: names, secrets: secretsOf(context, names) };
}

/** Whether a secret that an import could not replace has the value of the spec all the same. */
function isInPlace({ inputs, memory, supports }: ApplicationPass, { secrets }: Seen, name: string): boolean {
  const digest = inputs.secrets.get(name);
  // More than one where a secret of the environment or the project has the same name.
  const entries = secrets?.filter(({ key }) => key === name) ?? [];
  if (
    supports("updateSecret") === "Supported" ||
    digest === undefined ||
    (secrets !== undefined && entries.length === 0)
  )
    return false;
  const { sentSecrets = [], secrets: known = [] } = memory.written ?? {};
  const sent = sentSecrets.find(({ key }) => key === name);
  if (sent !== undefined) {
    return sent.digest === digest && entries.some((entry) => isOfThen(entry, sent.at) && isUntouched(entry));
  }
  return known.some((one) => one.key === name && one.digest === digest);
}

/** What stands for the secrets among the variables that are in place. */
export function secretsOf({ inputs }: ApplicationPass, names: readonly string[]): Written["secrets"] {
  const secrets = names.flatMap((key) => {
    const digest = inputs.secrets.get(key);
    return digest === undefined ? [] : [{ key, digest }];
  });
  return secrets.length === 0 ? undefined : secrets;
}

/** The condition VariablesSynced; none without variables. */
export function variablesCondition(context: ApplicationPass, seen: Seen): readonly ConditionFact[] {
  if (context.inputs.variables.length === 0) return [];
  const pending = pendingSecrets(context).map(({ name }) => name);
  const isInOrder = variablesSent(context, seen) && pending.length === 0;
  if (!isInOrder && seen.variablesFault !== undefined) return faultCondition("VariablesSynced", seen.variablesFault);
  if (!variablesSent(context, seen)) {
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
