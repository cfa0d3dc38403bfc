/** The applications of a set: memory, what the platform shows, and how each variable stands. Pure. */
import { refreshed, sameContent, type Uuid } from "../../engine/contract/kind.ts";
import { isOfApplication, isOfThen, isUntouched, LANDING_MS } from "../shared/variables.ts";
import type { KnownTarget, KnownVariable } from "./crd.ts";
import type { Action, Inputs, ListedVariable, Observed, SetContext, SetVariable, TargetState } from "./model.ts";

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
export function applicationsOf({ goal, inputs, memory }: SetContext) {
  const known = new Map((memory.targets ?? []).map((target) => [target.applicationId, target]));
  const wanted = (goal === "present" ? inputs.targets : []).flatMap(({ id, name }) =>
    id === undefined ? [] : [{ id, name, wanted: true, known: known.get(id) }],
  );
  for (const { id } of wanted) known.delete(id);
  return [...wanted, ...[...known].map(([id, target]) => ({ id, name: target.name, wanted: false, known: target }))];
}

/** Returns them with what is known of each. */
export function targetsOf(context: SetContext, observed: Observed): readonly SetTarget[] {
  const scopes = new Map(context.inputs.variables.map(({ name, scope }) => [name, scope]));
  // Where nobody knows yet whether it could be replaced, it holds what was sent all the same.
  const isReplaceable = context.supports("updateSecret") === "Supported";
  const fixed = (entry: ListedVariable) => isFixed(context, entry) || (entry.isSecret && !isReplaceable);
  return applicationsOf(context).map(({ id, name, wanted, known }) => {
    const state = observed.targets.get(id);
    const before = { ...known, applicationId: id, name };
    const namesakes = (key: string) => namesakesIn(state, { name: key, scope: scopes.get(key) });
    const isRead = state?.is === "shown" && !isFresh(observed, id);
    const read = isRead ? readBack(before, namesakes, fixed, observed.serverNow) : before;
    return { id, label: name ?? id, wanted, known: renewed(read, context.inputs), state };
  });
}

/** Whether something was sent in this reconcile: what was listed before does not show it. */
export function isFresh({ sent }: Observed, id: Uuid): boolean {
  return [...sent].some((key) => key.startsWith(`${id} `));
}

/** With the fingerprints of the content now, while it is the same (see `refreshed`). */
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
 * Some platforms replace no secret by an import, and the specification does not show which do. It has nothing else; an
 * update by id reaches those of the application's own scope alone.
 */
export function isFixed({ supports }: Pick<SetContext, "supports">, own: ListedVariable | undefined): boolean {
  return own?.isSecret === true && (supports("updateSecret") === "Unsupported" || !isOfApplication(own));
}

/** What is known of a variable. */
export function knownOf(target: KnownTarget, name: string): KnownVariable | undefined {
  return target.variables?.find(({ key }) => key === name);
}

/** Whether the value is as it was last taken over. */
export function isInPlace(target: KnownTarget, { name, digest }: SetVariable, { fingerprint }: Inputs): boolean {
  const known = knownOf(target, name);
  if (known?.digest === undefined || target.written === undefined) return false;
  return sameContent({ ...target.written, digest: known.digest }, { ...fingerprint, digest });
}

type Named = Pick<SetVariable, "name" | "scope">;

/** Returns the entries of a variable's name. Lists hold inherited ones too; a scope, where it is shown, distinguishes them. */
export function namesakesIn(
  state: TargetState | undefined,
  { name, scope = "APPLICATION" }: Named,
): readonly ListedVariable[] {
  if (state?.is !== "shown") return [];
  return state.entries.filter((one) => one.key === name && (one.scope ?? scope) === scope);
}

/** The entry of a variable: the one that we know by its id, else the only one of its name. */
export function ownEntry(target: SetTarget, variable: Named): ListedVariable | undefined {
  const same = namesakesIn(target.state, variable);
  const id = knownOf(target.known, variable.name)?.id;
  return same.find((one) => one.id === id) ?? (same.length === 1 ? same[0] : undefined);
}

/** Whether the operator created the entry. */
export function isCreated(target: KnownTarget, entry: ListedVariable | undefined): boolean {
  const known = entry && knownOf(target, entry.key);
  return known?.created === true && known.id === entry?.id;
}

/** What is in an application and not in the set any more, but was created by the operator. */
export function leftovers(
  { wanted, known }: Pick<SetTarget, "wanted" | "known">,
  inputs: Inputs,
): readonly KnownVariable[] {
  const names = new Set(wanted ? inputs.variables.map(({ name }) => name) : []);
  return (known.variables ?? []).filter(({ key, created }) => created === true && !names.has(key));
}

/** How far the platform's `Date` header, in whole seconds, may lie before its records. */
const SKEW_MS = 5_000;

/**
 * An entry is ours to remove only if it is there now, was not before our import, was made at that time, and did not
 * take the place of one that was not ours.
 * @param namesakes the entries that are listed under the name of a variable, in its scope
 * @param isFixed whether an entry cannot be replaced: one that we made holds what we sent, and no other import shows it
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
    const fresh = same.filter((entry) => !before.has(entry.id) && isOfThen(entry, sentAt));
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
  // What was refused has made nothing; all else may still appear.
  const isWhole = variables.every(({ id, failed }) => id !== undefined || failed === true);
  return { ...(isOver || isWhole ? rest : target), ...latest(target, taken), variables };
}

/** What an unanswered import created is a write all the same. */
function latest({ writtenAt }: KnownTarget, made: readonly ListedVariable[]): Pick<KnownTarget, "writtenAt"> {
  const times = made.map(({ createdAt }) => Date.parse(createdAt ?? "")).filter((time) => !Number.isNaN(time));
  if (times.length === 0) return {};
  const at = new Date(Math.max(...times)).toISOString();
  return { writtenAt: writtenAt === undefined || at > writtenAt ? at : writtenAt };
}

/** Without a scope, an entry that our import left as it was is an inherited one: ours is still to appear beside it. */
function isReadBack(
  { digest, updatedAt }: KnownVariable,
  entry: ListedVariable | undefined,
  sentAt: string | undefined,
): boolean {
  if (entry?.scope !== undefined || digest === undefined || updatedAt !== undefined) return true;
  return !(Date.parse(entry?.updatedAt ?? "") < Date.parse(sentAt ?? "") - SKEW_MS);
}

/** A variable of which the import made no entry that we see: the one that is there stays what it was. */
function unmade(variable: KnownVariable, entry: ListedVariable | undefined, isOver: boolean): KnownVariable {
  return withEntry(variable, entry, variable.created === true && entry?.id === variable.id, isOver);
}

/** With its id, and the time of our change unless that is known already. */
function withEntry(
  { key, digest, sent, failed, updatedAt }: KnownVariable,
  entry: ListedVariable | undefined,
  created: boolean,
  isOver: boolean,
): KnownVariable {
  if (entry === undefined) return { key, digest, failed, ...(!isOver && sent !== undefined && { sent }) };
  return { key, digest, failed, id: entry.id, updatedAt: updatedAt ?? entry.updatedAt, ...(created && { created }) };
}

/** An import of which nothing was taken leaves the application as it was: there is nothing to deploy. */
export function isChange(step: Action, after: KnownTarget): boolean {
  return step.what !== "import" || step.names.some((name) => knownOf(after, name)?.failed !== true);
}
