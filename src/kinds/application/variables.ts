/** The declared variables, and which of them are on the platform. Pure. */
import { sameContent, type ConditionFact, type JsonObject, type ResolvedNeeds } from "../../engine/contract/kind.ts";
import { everDeployed } from "../service/trace.ts";
import { faultCondition } from "../shared/answers.ts";
import { isOfThen, isUntouched, type InputVariable, variableInputs } from "../shared/variables.ts";
import type { ApplicationMemory, ApplicationSpec } from "./crd.ts";
import type { Action, ApplicationContext, Inputs, Observed } from "./model.ts";

/** Returns the variables with their values, and the digests of the secrets among them. */
export function inputVariables(spec: ApplicationSpec, resolved: ResolvedNeeds): Omit<Inputs, "environmentId"> {
  const inputs = variableInputs(spec.variables, resolved);
  const secrets = inputs.variables.filter(({ isSecret }) => isSecret);
  return {
    ...inputs,
    secrets: new Map(secrets.map(({ name, value }) => [name, resolved.fingerprint([name, value]).digest])),
  };
}

/** Reports whether the current variables were sent. For a service that others deployed, existing keys count as sent. */
export function variablesSent(context: ApplicationContext, observed: Observed): boolean {
  const { variables, fingerprint } = context.inputs;
  if (variables.length === 0) return true;
  const written = context.memory.written?.variables;
  if (written !== undefined) return sameContent(written, fingerprint);
  return observed.keys !== undefined && variables.every(({ name }) => observed.keys?.has(name));
}

/**
 * Reports whether others deployed the service and it is unknown what was sent to it. What the operator wrote always has
 * settings, unless the status cannot be read.
 */
export function isDeployedByOthers(
  { memory: { written, lastDeployment } }: ApplicationContext,
  status: Observed["status"],
): boolean {
  const isUnknown = lastDeployment === undefined || written?.settings === undefined;
  return written?.variables === undefined && isUnknown && everDeployed(status);
}

/** Returns the secrets that were sent but not replaced: some platforms replace no secret by an import. */
export function pendingSecrets(context: ApplicationContext): readonly InputVariable[] {
  const { written } = context.memory;
  if (written?.variables === undefined || !sameContent(written.variables, context.inputs.fingerprint)) return [];
  const taken = new Set(written.variableNames);
  return context.inputs.variables.filter(({ name }) => !taken.has(name));
}

type Written = NonNullable<ApplicationMemory["written"]>;

/**
 * Returns, before an import on a platform that cannot replace secrets, the memory of those that do not exist yet. After
 * a crash this identifies the ones that the import made, which hold what was sent.
 */
export function prepareImport(
  step: Action,
  context: ApplicationContext,
  observed: Observed,
): ApplicationMemory | undefined {
  if (step.what !== "import" || context.supports("updateSecret") === "Supported" || observed.secrets === undefined)
    return undefined;
  const { written } = context.memory;
  const sent = written?.sentSecrets ?? [];
  const listed = new Set(observed.secrets.map(({ key }) => key));
  const fresh = [...context.inputs.secrets].filter(([key]) => !listed.has(key));
  // Where another value is under way as well, it is unknown which of the two makes the entry.
  const clear = fresh.filter(([key, digest]) => sent.every((one) => one.key !== key || one.digest === digest));
  if (clear.length === 0) return undefined;
  const at = observed.serverNow?.toISOString() ?? "";
  const others = sent.filter(({ key }) => listed.has(key));
  return {
    ...context.memory,
    written: { ...written, sentSecrets: [...others, ...clear.map(([key, digest]) => ({ key, digest, at }))] },
  };
}

/** Returns the note about secrets from before the first import. */
export function keep({ written }: ApplicationMemory): JsonObject | undefined {
  const { sentSecrets } = written ?? {};
  return sentSecrets && { written: { sentSecrets } };
}

/**
 * Reports whether an import did not take a secret that did not exist when its list was read. An earlier import, which
 * had no answer, may have landed in between: the list has to be read again to identify the secret. Where secrets can be
 * replaced by their ids, there is nothing to identify.
 * @param taken the names that the platform took
 */
export function wasOvertaken(
  { inputs, supports }: ApplicationContext,
  { secrets }: Observed,
  taken: readonly string[],
): boolean {
  if (supports("updateSecret") === "Supported" || secrets === undefined) return false;
  const known = new Set([...taken, ...secrets.map(({ key }) => key)]);
  return [...inputs.secrets.keys()].some((key) => !known.has(key));
}

/** Returns the memory of an import. @param taken the names that the platform took */
export function imported(context: ApplicationContext, observed: Observed, taken: readonly string[]): Written {
  const { fingerprint, variables } = context.inputs;
  const names = variables
    .map(({ name }) => name)
    .filter((name) => taken.includes(name) || isInPlace(context, observed, name));
  const { sentSecrets: _, ...written } = context.memory.written ?? {};
  return { ...written, variables: { ...fingerprint }, variableNames: names, secrets: secretsOf(context, names) };
}

/** Reports whether a secret that an import could not replace has the value of the spec. */
function isInPlace({ inputs, memory, supports }: ApplicationContext, { secrets }: Observed, name: string): boolean {
  const digest = inputs.secrets.get(name);
  // There are several entries if a secret of the environment or the project has the same name.
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

/** Returns the digests of the secrets that are in place. */
export function secretsOf({ inputs }: ApplicationContext, names: readonly string[]): Written["secrets"] {
  const secrets = names.flatMap((key) => {
    const digest = inputs.secrets.get(key);
    return digest === undefined ? [] : [{ key, digest }];
  });
  return secrets.length === 0 ? undefined : secrets;
}

/** Returns the condition VariablesSynced; none without variables. */
export function variablesCondition(context: ApplicationContext, observed: Observed): readonly ConditionFact[] {
  if (context.inputs.variables.length === 0) return [];
  const type = "VariablesSynced";
  const pending = pendingSecrets(context).map(({ name }) => name);
  const isSent = variablesSent(context, observed);
  if (isSent && pending.length === 0) {
    return [{ type, status: "True", reason: "VariablesSynced", message: "All variables are on the platform." }];
  }
  if (observed.variablesFault !== undefined) return faultCondition(type, observed.variablesFault);
  const message = isSent
    ? `The platform did not take over ${pending.join(", ")}: an import does not replace what exists as a secret. Remove it on the platform, or rename it.`
    : "The variables were not sent yet.";
  return [{ type, status: "False", reason: "VariablesPending", message }];
}
