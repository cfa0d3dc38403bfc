/** The applications of a set: what is remembered, what the platform shows, and the state of each variable. Pure. */
import { refreshed, sameContent, type Uuid } from "../../engine/contract/kind.ts";
import { isOfApplication, createdByImport, isUntouched, LANDING_MS } from "../variables/declared.ts";
import type { KnownTarget, KnownVariable } from "./crd.ts";
import type { Action, Inputs, ListedVariable, Observed, SetContext, SetVariable, TargetState } from "./model.ts";
import { awaitedOf } from "./model.ts";

/** An application of the spec, or one that still holds something of the set. */
export interface SetTarget {
  readonly id: Uuid;
  /** Name of the custom resource, else the id. */
  readonly label: string;
  /** Whether the spec has it now. */
  readonly wanted: boolean;
  readonly known: KnownTarget;
  readonly state: TargetState | undefined;
}

/** Returns the applications of the spec that have an id, in its order, and then those that were taken out of it. */
export function applicationsOf(context: SetContext) {
  const known = new Map((context.memory.targets ?? []).map((target) => [target.applicationId, target]));
  for (const { applicationId } of awaitedOf(context)) known.delete(applicationId);
  const wanted = (context.goal === "present" ? context.inputs.targets : []).flatMap(({ id, name }) =>
    id === undefined ? [] : [{ id, name, wanted: true, known: known.get(id) }],
  );
  for (const { id } of wanted) known.delete(id);
  return [...wanted, ...[...known].map(([id, target]) => ({ id, name: target.name, wanted: false, known: target }))];
}

/** Returns the applications with what is known of each. */
export function targetsOf(context: SetContext, observed: Observed): readonly SetTarget[] {
  const scopes = new Map(context.inputs.variables.map(({ name, scope }) => [name, scope]));
  const fixed = (entry: ListedVariable) => isFixed(context, entry);
  return applicationsOf(context).map(({ id, name, wanted, known }) => {
    const state = observed.targets.get(id);
    const before = { ...known, applicationId: id, name };
    const namesakes = (key: string) => namesakesIn(state, { name: key, scope: scopes.get(key) });
    const isRead = state?.is === "shown" && !isFresh(observed, id);
    const read = isRead ? readBack(before, namesakes, fixed, observed.serverNow) : before;
    return { id, label: name ?? id, wanted, known: renewed(read, context.inputs), state };
  });
}

/** Reports whether something was sent to an application in this reconcile: what was listed before does not show it. */
export function isFresh({ sent }: Observed, id: Uuid): boolean {
  return [...sent].some((key) => key.startsWith(`${id} `));
}

/** Returns a target with the current fingerprints, if they represent the same content (see `refreshed`). */
function renewed(target: KnownTarget, { variables, fingerprint }: Inputs): KnownTarget {
  const written = refreshed(target.written, fingerprint);
  if (written === target.written) return target;
  const digests = new Map(variables.map(({ name, digest }) => [name, digest]));
  return {
    ...target,
    written,
    variables: target.variables?.map((one) => {
      const digest = digests.get(one.key);
      if (digest === undefined) return one;
      return { ...one, ...(one.digest !== undefined && { digest }), ...(one.sent !== undefined && { sent: digest }) };
    }),
  };
}

/**
 * Reports whether an entry is a secret that cannot be replaced: some platforms replace none by an import, and none
 * outside of the application's own scope by its id. The specification does not show which.
 */
export function isFixed({ isFull }: Pick<SetContext, "isFull">, own: ListedVariable | undefined): boolean {
  return own?.isSecret === true && (!isFull || !isOfApplication(own));
}

/** Returns what is known of a variable. */
export function knownOf(target: KnownTarget, name: string): KnownVariable | undefined {
  return target.variables?.find(({ key }) => key === name);
}

/** Reports whether the platform took the current value. */
export function isInPlace(target: KnownTarget, { name, digest }: SetVariable, { fingerprint }: Inputs): boolean {
  const known = knownOf(target, name);
  if (known?.digest === undefined || target.written === undefined) return false;
  return sameContent({ ...target.written, digest: known.digest }, { ...fingerprint, digest });
}

type Named = Pick<SetVariable, "name" | "scope">;

/** Returns the entries of a variable's name and scope. An entry whose scope is not shown may be an inherited one. */
export function namesakesIn(
  state: TargetState | undefined,
  { name, scope = "APPLICATION" }: Named,
): readonly ListedVariable[] {
  if (state?.is !== "shown") return [];
  return state.entries.filter((one) => one.key === name && (one.scope ?? scope) === scope);
}

/** Returns the entry of a variable: the entry with the known id, else the only entry of its name. */
export function ownEntry(target: SetTarget, variable: Named): ListedVariable | undefined {
  const same = namesakesIn(target.state, variable);
  const id = knownOf(target.known, variable.name)?.id;
  return same.find((one) => one.id === id) ?? (same.length === 1 ? same[0] : undefined);
}

/** Reports whether the operator created the entry. */
export function isCreated(target: KnownTarget, entry: ListedVariable | undefined): boolean {
  const known = entry && knownOf(target, entry.key);
  return known?.created === true && known.id === entry?.id;
}

/** Returns the variables that the operator created in an application and that the set does not have any more. */
export function leftovers(
  { wanted, known }: Pick<SetTarget, "wanted" | "known">,
  inputs: Inputs,
): readonly KnownVariable[] {
  const names = new Set(wanted ? inputs.variables.map(({ name }) => name) : []);
  return (known.variables ?? []).filter(({ key, created }) => created === true && !names.has(key));
}

/** How far the platform's `Date` header, in whole seconds, may lag behind the times of its records. */
const SKEW_MS = 5_000;

/**
 * Finds the entries that an import created. The set may remove an entry only if it exists now, did not exist before the
 * import, was created at that time, and did not replace an entry of others.
 * @param namesakes the entries that are listed under the name of a variable, in its scope
 * @param isFixed whether an entry cannot be replaced: one that the import created keeps the value that was sent
 * @param now the platform's clock
 */
export function readBack(
  target: KnownTarget,
  namesakes: (name: string) => readonly ListedVariable[],
  isFixed: (entry: ListedVariable) => boolean,
  now: Date | undefined,
): KnownTarget {
  const { before: ids, ...rest } = target;
  const { sentAt } = target;
  if (ids === undefined) return target;
  const before = new Set(ids);
  const isOver = !(Math.abs((now?.getTime() ?? Number.NaN) - Date.parse(sentAt ?? "")) < LANDING_MS);
  const taken: ListedVariable[] = [];
  const found = (variable: KnownVariable): KnownVariable => {
    const same = namesakes(variable.key);
    const fresh = same.filter((entry) => !before.has(entry.id) && createdByImport(entry, sentAt));
    const known = same.find(({ id }) => id === variable.id);
    const [made, another] = fresh;
    if (made === undefined || another !== undefined) {
      const entry = known ?? (same.length === 1 ? same[0] : undefined);
      return unmade(variable, isReadBack(variable, entry, sentAt) ? entry : undefined, isOver);
    }
    const isOurs = variable.id === undefined || known !== undefined || variable.created === true;
    if (!isOurs || !isFixed(made) || variable.sent === undefined || !isUntouched(made))
      return withEntry(variable, made, isOurs, isOver);
    taken.push(made);
    return withEntry({ key: variable.key, digest: variable.sent }, made, true, isOver);
  };
  const variables = (target.variables ?? []).map(found);
  // A refused variable has created no entry; all others may still appear.
  const isWhole = variables.every(({ id, failed }) => id !== undefined || failed === true);
  return { ...(isOver || isWhole ? rest : target), ...latest(target, taken), variables };
}

/** Returns the time of the last write. An import without an answer counts as one if it created an entry. */
function latest({ writtenAt }: KnownTarget, made: readonly ListedVariable[]): Pick<KnownTarget, "writtenAt"> {
  const times = made.map(({ createdAt }) => Date.parse(createdAt ?? "")).filter((time) => !Number.isNaN(time));
  if (times.length === 0) return {};
  const at = new Date(Math.max(...times)).toISOString();
  return { writtenAt: writtenAt === undefined || at > writtenAt ? at : writtenAt };
}

/** Reports whether an entry shows the import; false for an unchanged one without a scope, which may be inherited. */
function isReadBack(
  { digest, updatedAt }: KnownVariable,
  entry: ListedVariable | undefined,
  sentAt: string | undefined,
): boolean {
  if (entry?.scope !== undefined || digest === undefined || updatedAt !== undefined) return true;
  return !(Date.parse(entry?.updatedAt ?? "") < Date.parse(sentAt ?? "") - SKEW_MS);
}

/** Returns a variable for which no new entry is seen: the existing entry stays what it was. */
function unmade(variable: KnownVariable, entry: ListedVariable | undefined, isOver: boolean): KnownVariable {
  return withEntry(variable, entry, variable.created === true && entry?.id === variable.id, isOver);
}

/** Returns a variable with the id of its entry, and the time of the operator's change unless that is known. */
function withEntry(
  { key, digest, sent, failed, updatedAt }: KnownVariable,
  entry: ListedVariable | undefined,
  created: boolean,
  isOver: boolean,
): KnownVariable {
  if (entry === undefined) return { key, digest, failed, ...(!isOver && sent !== undefined && { sent }) };
  return { key, digest, failed, id: entry.id, updatedAt: updatedAt ?? entry.updatedAt, ...(created && { created }) };
}

/** Reports whether a step changed the application: an import of which nothing was taken did not. */
export function isChange(step: Action, after: KnownTarget): boolean {
  return step.what !== "import" || step.names.some((name) => knownOf(after, name)?.failed !== true);
}
