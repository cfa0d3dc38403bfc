/** The declared variables, and which of them are on the platform. Pure. */
import { refreshed, sameContent, type JsonObject, type ResolvedNeeds } from "../../engine/contract/kind.ts";
import { everDeployed } from "../service/progress.ts";
import { writtenSettings } from "../service/settings.ts";
import {
  retryRequested,
  isOfApplication,
  createdByImport,
  isUntouched,
  type InputVariable,
  retryDecision,
  variableInputs,
} from "../variables/declared.ts";
import type { ApplicationMemory, ApplicationSpec } from "./crd.ts";
import { type Action, APPLICATION_SETTINGS, type ApplicationContext, type Inputs, type Observed } from "./model.ts";

/** Returns the variables with their values, and the digests of the secrets among them. */
export function inputVariables(spec: ApplicationSpec, resolved: ResolvedNeeds): Omit<Inputs, "environmentId"> {
  const inputs = variableInputs(spec.variables, resolved);
  const secrets = inputs.variables.filter(({ isSecret }) => isSecret);
  return {
    ...inputs,
    secrets: new Map(secrets.map(({ name, value }) => [name, resolved.fingerprint([name, value]).digest])),
  };
}

/** Which variables are on the platform. */
export interface VariableFacts {
  /** The current variables were sent. For a service that others deployed, existing keys count as sent. */
  readonly areSent: boolean;
  /** The variables that imports left out: some platforms replace no secret by an import. */
  readonly pending: readonly InputVariable[];
  /** Others deployed the service, and it is unknown what was sent to it. */
  readonly isDeployedByOthers: boolean;
}

/** Gathers the facts. */
export function variableFacts(context: ApplicationContext, observed: Observed): VariableFacts {
  return {
    areSent: areVariablesSent(context, observed),
    pending: pendingVariables(context),
    isDeployedByOthers: isDeployedByOthers(context, observed),
  };
}

function areVariablesSent(context: ApplicationContext, observed: Observed): boolean {
  const { variables, fingerprint } = context.inputs;
  if (variables.length === 0) return true;
  const written = context.memory.written?.variables;
  if (written !== undefined) return sameContent(written, fingerprint);
  return observed.keys !== undefined && variables.every(({ name }) => observed.keys?.has(name));
}

/** What the operator wrote always has settings, unless the status cannot be read. */
function isDeployedByOthers(
  { memory: { written, lastDeployment } }: ApplicationContext,
  { status }: Observed,
): boolean {
  const isUnknown = lastDeployment === undefined || written?.settings === undefined;
  return written?.variables === undefined && isUnknown && everDeployed(status);
}

/** Returns what the operator wrote. Where an adopted service has variables of these names, they count as written. */
export function knownWrites(context: ApplicationContext, observed: Observed): Written | undefined {
  const known = context.memory.written;
  if (observed.status === undefined) return known;
  const areFound =
    known?.variables === undefined &&
    observed.keys !== undefined &&
    context.inputs.variables.every(({ name }) => observed.keys?.has(name));
  const variables = areFound ? foundVariables(context) : refreshedVariables(context);
  return { ...known, ...writtenSettings(APPLICATION_SETTINGS, context), ...variables };
}

/** Returns the memory of the variables that an adopted service was found with. */
function foundVariables(context: ApplicationContext): Partial<Written> {
  const { fingerprint, variables } = context.inputs;
  const names = variables.map(({ name }) => name);
  const secrets = secretsOf(context, names);
  return { variables: { ...fingerprint }, variableNames: names, secrets, sentSecrets: undefined };
}

function refreshedVariables(context: ApplicationContext): Partial<Written> {
  const { fingerprint } = context.inputs;
  const { written } = context.memory;
  if (!sameContent(written?.variables, fingerprint)) return {};
  return {
    // After the loss of the key, other digests represent the same content.
    variables: refreshed(written?.variables, fingerprint),
    secrets: secretsOf(context, written?.variableNames ?? []),
    ...(pendingVariables(context).length === 0 && { attempts: undefined, sentAt: undefined }),
  };
}

/** Returns the variables that imports left out: some platforms replace no secret by an import. */
export function pendingVariables(context: ApplicationContext): readonly InputVariable[] {
  const taken = namesInPlace(context);
  return taken === undefined ? [] : context.inputs.variables.filter(({ name }) => !taken.has(name));
}

/** Returns the names of the variables that are in place; undefined while the current ones were not sent. */
function namesInPlace({ inputs, memory: { written } }: ApplicationContext): ReadonlySet<string> | undefined {
  if (written?.variables === undefined || !sameContent(written.variables, inputs.fingerprint)) return undefined;
  return new Set(written.variableNames);
}

/** Returns the variables that an import sends: all, or those that the last import of the same content left out. */
export function importable(context: ApplicationContext): readonly InputVariable[] {
  return namesInPlace(context) === undefined ? context.inputs.variables : pendingVariables(context);
}

/**
 * Reports whether variables that an import left out are sent again: on request, after an import whose response was
 * lost, and a few times while the platform lists no secret of their name.
 */
export function isImportDue(context: ApplicationContext, observed: Observed): boolean {
  const pending = pendingVariables(context);
  if (pending.length === 0 || observed.imported === true) return false;
  const { sentSecrets = [], ...last } = context.memory.written ?? {};
  if (retryRequested(context, last, observed.serverNow)) return true;
  if (sentSecrets.some(({ key }) => pending.some(({ name }) => name === key))) return true;
  const isMissing = observed.secrets !== undefined && pending.some(({ name }) => !isListedSecret(observed, name));
  return isMissing && retryDecision(last, observed.serverNow) === "send";
}

/** Reports whether the platform lists a secret of this name, which an import may not replace. */
export function isListedSecret({ secrets }: Observed, name: string): boolean {
  return secrets?.some((entry) => entry.key === name && isOfApplication(entry)) === true;
}

type Written = NonNullable<ApplicationMemory["written"]>;

/**
 * Returns, before an import on a platform that cannot replace secrets, the memory of those that do not exist yet. After
 * a crash this identifies the secrets that the import made, which hold what was sent.
 */
export function prepareImport(
  step: Action,
  context: ApplicationContext,
  observed: Observed,
): ApplicationMemory | undefined {
  if (step.what !== "import" || context.isFull || observed.secrets === undefined) return undefined;
  const { written } = context.memory;
  const sent = written?.sentSecrets ?? [];
  const listed = new Set(observed.secrets.map(({ key }) => key));
  const due = new Set(importable(context).map(({ name }) => name));
  const fresh = [...context.inputs.secrets].filter(([key]) => due.has(key) && !listed.has(key));
  // If another value was sent as well, it is unknown which of the two imports creates the entry.
  const clear = fresh.filter(([key, digest]) => sent.every((one) => one.key !== key || one.digest === digest));
  if (clear.length === 0) return undefined;
  const at = observed.serverNow?.toISOString() ?? "";
  const listedBefore = sent.filter(({ key }) => listed.has(key));
  return {
    ...context.memory,
    written: { ...written, sentSecrets: [...listedBefore, ...clear.map(([key, digest]) => ({ key, digest, at }))] },
  };
}

/** Returns the part of the memory to store with the record of the id: the secrets of the first import. */
export function keepSentSecrets({ written }: ApplicationMemory): JsonObject | undefined {
  const { sentSecrets } = written ?? {};
  return sentSecrets && { written: { sentSecrets } };
}

/**
 * Reports whether an import did not take a secret that did not exist when the secrets were listed. An earlier import,
 * which had no answer, may have landed in between: the list has to be read again to identify the secret. Where secrets
 * can be replaced by their ids, there is nothing to identify.
 * @param taken the names that the platform took
 */
export function wasOvertaken(
  { inputs, isFull }: ApplicationContext,
  { secrets }: Observed,
  taken: readonly string[],
): boolean {
  if (isFull || secrets === undefined) return false;
  const known = new Set([...taken, ...secrets.map(({ key }) => key)]);
  return [...inputs.secrets.keys()].some((key) => !known.has(key));
}

/** Returns the memory of an import. @param taken the names that the platform took */
export function imported(context: ApplicationContext, observed: Observed, taken: readonly string[]): Written {
  const { fingerprint, variables } = context.inputs;
  const before = namesInPlace(context);
  const known = new Set([...taken, ...(before ?? [])]);
  const isKnown = ({ name }: InputVariable) => known.has(name) || isInPlace(context, observed, name);
  const names = variables.filter(isKnown).map(({ name }) => name);
  const left = variables.filter((one) => !isKnown(one));
  const isIncomplete = left.some(({ name }) => !isListedSecret(observed, name));
  const { sentSecrets: _, attempts = 0, sentAt: __, ...written } = context.memory.written ?? {};
  return {
    ...written,
    variables: { ...fingerprint },
    variableNames: names,
    secrets: secretsOf(context, names),
    ...(isIncomplete && { attempts: before === undefined ? 1 : attempts + 1 }),
    ...(left.length > 0 && { sentAt: observed.serverNow?.toISOString() }),
  };
}

/** Reports whether a secret that an import could not replace has the value of the spec. */
function isInPlace({ inputs, memory, isFull }: ApplicationContext, { secrets }: Observed, name: string): boolean {
  const digest = inputs.secrets.get(name);
  // There are several entries if a secret of the environment or the project has the same name.
  const entries = secrets?.filter(({ key }) => key === name) ?? [];
  if (isFull || digest === undefined || (secrets !== undefined && entries.length === 0)) return false;
  const { sentSecrets = [], secrets: known = [] } = memory.written ?? {};
  const sent = sentSecrets.find(({ key }) => key === name);
  if (sent !== undefined) {
    return sent.digest === digest && entries.some((entry) => createdByImport(entry, sent.at) && isUntouched(entry));
  }
  return known.some((one) => one.key === name && one.digest === digest);
}

/** Returns the digests of the secrets that are in place. */
function secretsOf({ inputs }: ApplicationContext, names: readonly string[]): Written["secrets"] {
  const secrets = names.flatMap((key) => {
    const digest = inputs.secrets.get(key);
    return digest === undefined ? [] : [{ key, digest }];
  });
  return secrets.length === 0 ? undefined : secrets;
}
