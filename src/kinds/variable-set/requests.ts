/** Sends the request of a step, and updates what was observed by its answer. */
import { sameContent, type Kind } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { importItems } from "../variables/declared.ts";
import { MAX_NAMESAKES, type KnownTarget, type KnownVariable } from "./crd.ts";
import {
  awaitedOf,
  sentKey,
  type Action,
  type Inputs,
  type Observed,
  type OfEntry,
  type SetContext,
  type SetVariable,
  type VariableSetTypes,
} from "./model.ts";
import { isChange, isCreated, isInPlace, knownOf, leftovers, ownEntry, targetsOf, type SetTarget } from "./target.ts";

/** An application to which something is sent. */
interface Sending {
  readonly context: SetContext;
  readonly observed: Observed;
  readonly target: SetTarget;
}

/**
 * Returns, before an import that creates entries, the memory of which entries exist, what is sent, and when. After a
 * crash this identifies the entries that the import created, which are the set's own, to be replaced and removed. It
 * covers all applications, so that one write is enough.
 */
export const prepare: NonNullable<Kind<VariableSetTypes>["prepare"]> = ({ action: step }, context, observed) => {
  if (step.what !== "import") return undefined;
  const targets = targetsOf(context, observed).map((target) => ({ target, open: missing(context, target) }));
  if (!targets.some(({ target, open }) => target.id === step.id && open.length > 0)) return undefined;
  return {
    ...context.memory,
    targets: [
      ...targets.map(({ target, open }) =>
        open.length === 0 ? target.known : started({ context, observed, target }, open),
      ),
      ...awaitedOf(context),
    ],
  };
};

/** Returns the variables without an entry in the application and without a note in the memory. */
function missing({ inputs }: SetContext, target: SetTarget): readonly SetVariable[] {
  const { known, wanted, state } = target;
  if (!wanted || state?.is !== "shown") return [];
  const isSame = known.before !== undefined && sameContent(known.written, inputs.fingerprint);
  const isNoted = ({ name }: SetVariable): boolean => isSame && knownOf(known, name) !== undefined;
  return inputs.variables.filter((variable) => ownEntry(target, variable) === undefined && !isNoted(variable));
}

/** Returns what is known of an application before these variables are sent to it. */
function started(sending: Sending, open: readonly SetVariable[]): KnownTarget {
  const { before, written } = sending.target.known;
  // An earlier import of other content may still land; it is then unknown which of the two creates the entry.
  const isClear = before === undefined || sameContent(written, sending.context.inputs.fingerprint);
  return replaced(sending, open, ({ digest }, known) => ({ ...known, ...(isClear && { sent: digest }) }));
}

export const act: Kind<VariableSetTypes>["act"] = async ({ action: step }, context, observed, api) => {
  const targets = targetsOf(context, observed);
  const target = targets.find(({ id }) => id === step.id);
  if (target === undefined) return { observed, memory: context.memory };
  const after = await sent(step, { context, observed, target }, api);
  const writtenAt = isChange(step, after) ? stamp(observed.serverNow, context.records.writtenInto(step.id)) : undefined;
  const known = { ...after, ...(writtenAt !== undefined && { writtenAt }) };
  const all = targets.map((one) => (one.id === step.id ? known : one.known));
  return {
    observed: { ...observed, sent: new Set([...observed.sent, sentKey(step)]) },
    memory: { ...context.memory, targets: [...all, ...awaitedOf(context)] },
  };
};

/**
 * Returns the time of a write. The platform's clock shows whole seconds, but the second of two writes must be later.
 */
function stamp(now: Date | undefined, last: string | undefined): string | undefined {
  if (now === undefined) return undefined;
  const after = last === undefined ? 0 : Date.parse(last) + 1;
  return new Date(Math.max(now.getTime(), after)).toISOString();
}

async function sent(step: Action, sending: Sending, api: Platform): Promise<KnownTarget> {
  const { context } = sending;
  if (step.what === "remove") {
    await remove(step, api);
    return withoutVariable(sending, step.name);
  }
  const names = new Set(step.what === "import" ? step.names : [step.name]);
  const variables = context.inputs.variables.filter(({ name }) => names.has(name));
  if (step.what !== "import") {
    await api.secrets.update(step.id, step.entryId, { key: step.name, value: variables[0]?.value ?? "" });
    return written(sending, variables, names);
  }
  const vars = importItems(context, variables);
  const answer = await api.variables.import(step.id, { overwrite: step.overwrite, vars });
  const taken = answer?.successfulImportedVariables.map(({ name }) => name) ?? step.names;
  return written(sending, variables, new Set(taken));
}

/**
 * Returns what is known of an application once a variable is removed. After the last one, the application has the
 * current content if nothing else of it is to be sent.
 */
function withoutVariable({ context: { inputs }, target }: Sending, name: string): KnownTarget {
  const known = { ...target.known, variables: (target.known.variables ?? []).filter(({ key }) => key !== name) };
  const isWhole =
    known.written?.key === inputs.fingerprint.key &&
    leftovers({ ...target, known }, inputs).length === 0 &&
    inputs.variables.every((variable) => isInPlace(known, variable, inputs));
  return isWhole ? { ...known, written: { ...inputs.fingerprint } } : known;
}

/** Removes an entry. One that is no longer listed counts as removed, e.g. an alias whose variable was removed. */
async function remove({ id, entryId, isSecret }: OfEntry, api: Platform): Promise<void> {
  try {
    await (isSecret ? api.secrets.delete(id, entryId) : api.variables.delete(id, entryId));
  } catch (error) {
    if (!(error instanceof ApiError && error.failure.is === "NotFound")) throw error;
    const listed = await (isSecret ? api.secrets.list(id) : api.variables.list(id));
    if (listed.some((entry) => entry.id === entryId)) throw error;
  }
}

/**
 * Returns what is known once these were sent. The next reconcile reads the ids and times of their entries.
 * @param taken the names of those that the platform took
 */
function written(sending: Sending, variables: readonly SetVariable[], taken: ReadonlySet<string>): KnownTarget {
  const { target } = sending;
  const known = replaced(sending, variables, (variable) => {
    const own = ownEntry(target, variable);
    return {
      key: variable.name,
      // An entry that is known keeps its id.
      ...(own !== undefined && { id: own.id }),
      ...(isCreated(target.known, own) && { created: true as const }),
      ...(taken.has(variable.name) ? { digest: variable.digest } : { failed: true as const }),
    };
  });
  const isWhole = variables.every(({ name }) => taken.has(name));
  return isWhole ? known : { ...known, attempts: known.attempts + 1 };
}

/**
 * Returns what is known of an application when some of its variables are sent.
 * @param replace returns what is known of a variable that is sent; it takes what was known before
 */
function replaced(
  { context: { inputs }, observed, target: { known, state } }: Sending,
  variables: readonly SetVariable[],
  replace: (variable: SetVariable, before: KnownVariable) => KnownVariable,
) {
  const isSame = sameContent(known.written, inputs.fingerprint);
  const all = (known.variables ?? []).map((one) => (isSame ? one : carried(inputs, known, one)));
  const others = all.filter(({ key }) => !variables.some(({ name }) => name === key));
  const names = new Set([...others.map(({ key }) => key), ...inputs.variables.map(({ name }) => name)]);
  const namesakes = state?.is === "shown" ? state.entries.filter(({ key }) => names.has(key)) : [];
  const before = new Set([...(known.before ?? []), ...namesakes.map(({ id }) => id)]);
  const sentNow = variables.map((variable) =>
    replace(variable, all.find(({ key }) => key === variable.name) ?? { key: variable.name }),
  );
  return {
    ...known,
    variables: [...others, ...sentNow],
    // Beyond the bound of a status, earlier entries are not known, and nothing counts as created.
    before: before.size > MAX_NAMESAKES ? undefined : [...before],
    sentAt: observed.serverNow?.toISOString(),
    written: { ...inputs.fingerprint },
    attempts: isSame ? (known.attempts ?? 0) : 0,
  };
}

/**
 * Returns what is known of a variable that was not sent: its value counts for the new content only if it is in place.
 */
function carried(inputs: Inputs, target: KnownTarget, { key, id, created, updatedAt }: KnownVariable): KnownVariable {
  const variable = inputs.variables.find(({ name }) => name === key);
  const isKept = variable !== undefined && isInPlace(target, variable, inputs);
  return { key, id, created, updatedAt, ...(isKept && { digest: variable.digest }) };
}
