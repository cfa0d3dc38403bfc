/** Sends one request for the variables of an application, and says what is then known. */
import type { ReconcileContext, Uuid } from "../../engine/contract/kind.ts";
import { sameContent } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { readOr } from "../shared/answers.ts";
import {
  type Compared,
  type VariableComparison,
  isOfApplication,
  type VariableLists,
  shownVariable,
  type VariableFacts,
} from "./compare.ts";
import { importItems, type WantedVariable } from "./declared.ts";
import {
  asOwned,
  type Owned,
  type OwnedVariable,
  ownedVariableOf,
  timeOfChange,
  withoutVariable,
  withVariables,
} from "./owned.ts";
import { noteWrite, readLists } from "./read.ts";

/** One request for one application. */
export type VariableAction = ImportAction | EntryAction;

export interface ImportAction {
  readonly what: "import";
  readonly id: Uuid;
  readonly overwrite: boolean;
  readonly names: readonly string[];
}

/** Replaces a secret, or removes a variable or a secret. */
export interface EntryAction {
  readonly what: "updateSecret" | "removeVariable";
  readonly id: Uuid;
  readonly name: string;
  readonly entryId: Uuid;
  readonly isSecret: boolean;
}

/** An application to which something is sent. */
export interface Sending {
  readonly context: Pick<ReconcileContext, "isFull" | "records">;
  readonly compared: Compared;
  readonly facts: VariableFacts;
}

/** What is known after a request. */
export interface Sent {
  readonly owned: Owned;
  readonly lists: VariableLists;
  readonly sent: ReadonlySet<string>;
}

/**
 * Returns what to store before an import: what is sent, and when. After a crash it shows that the import took effect,
 * so that the application is deployed, and which secrets have the value that was sent.
 * @param isDeployed whether a deployment may be due once the import has taken effect
 * @returns undefined where nothing has to be stored
 */
export function notedImport(step: ImportAction, sending: Sending, isDeployed: boolean): Owned | undefined {
  const { context, compared, facts } = sending;
  const noted = facts.comparisons
    .filter(({ variable }) => step.names.includes(variable.name))
    .flatMap((comparison) => {
      const { variable } = comparison;
      const known = ownedVariableOf(facts.owned, variable.name) ?? { key: variable.name };
      // A secret that the resource may change by its id is changed, whoever made it.
      const isChanged = compared.wanted.overwrite && canReplace(context, variable);
      const isIdentified = variable.isSecret && comparison.shown.is === "absent" && !isChanged;
      return isDeployed || isIdentified ? [notedVariable(comparison, known, isIdentified)] : [];
    });
  const isNews = noted.some((one) => one.sent !== undefined && !isNoted(facts.owned, one));
  if (!isNews) return undefined;
  return { ...withVariables(facts.owned, noted), sentAt: compared.now.toISOString() };
}

function isNoted(owned: Owned, { key, sent, digest }: OwnedVariable): boolean {
  const known = ownedVariableOf(owned, key);
  return known?.sent === sent && known?.digest === digest;
}

/** Reports whether a secret can be changed by its id. */
function canReplace({ isFull }: Sending["context"], variable: WantedVariable): boolean {
  return isFull && isOfApplication(variable);
}

/** @param isIdentified the variable is a secret that only the time of its creation tells from a secret of others */
function notedVariable(
  { variable, shown, drift }: VariableComparison,
  known: OwnedVariable,
  isIdentified: boolean,
): OwnedVariable {
  const { digest, isSecret } = variable;
  // If another value was sent as well, it is unknown which of the two imports creates the entry.
  const isClear = known.sent === undefined || known.sent === digest;
  const sent = isSecret && !(isClear && isIdentified) ? undefined : digest;
  // What others changed counts as not written, so that a crash does not hide that it has to be deployed.
  const undone = drift === undefined ? {} : { digest: undefined, replaced: replacedBy(shown) };
  return { ...known, ...undone, sent };
}

function replacedBy(shown: VariableComparison["shown"]): string | undefined {
  return "entry" in shown ? shown.entry.digest : undefined;
}

/** Sends a request. @throws ApiError */
export async function sendVariables(step: VariableAction, sending: Sending, api: Platform): Promise<Sent> {
  const answer = await (step.what === "import" ? sendImport(step, sending, api) : sendEntry(step, sending, api));
  noteWrite(api, step.id);
  return answer;
}

async function sendImport(step: ImportAction, sending: Sending, api: Platform): Promise<Sent> {
  const { context, compared, facts } = sending;
  const variables = compared.wanted.variables.filter(({ name }) => step.names.includes(name));
  const request = { overwrite: step.overwrite, vars: importItems(context, variables) };
  const answering = api.variables.import(step.id, request);
  // A rejection of what an earlier import left out must not hold back deployments: it counts as an import of nothing.
  const isRetry = step.names.every((name) => ownedVariableOf(facts.owned, name)?.failed === true);
  const answer = await (isRetry
    ? readOr(answering, { successfulImportedVariables: [] }, ["Invalid", "Conflict"])
    : answering);
  const names = answer?.successfulImportedVariables.map(({ name }) => name) ?? step.names;
  const taken = new Set(step.names.filter((name) => names.includes(name)));
  const isWhole = taken.size === step.names.length;
  // An earlier import without an answer may have taken effect in between: the lists show what is there.
  if (!isWhole) api.refresh();
  const lists = isWhole ? compared.lists : await readLists(context, step.id, api);
  return {
    owned: afterWrite(sending, variables, taken, lists),
    lists,
    sent: new Set([...compared.sent, ...taken]),
  };
}

async function sendEntry(step: EntryAction, sending: Sending, api: Platform): Promise<Sent> {
  const { compared } = sending;
  const { wanted, sent } = compared;
  if (step.what === "removeVariable") {
    await remove(step, api);
    return { owned: afterRemoval(sending, step), lists: without(compared.lists, step), sent };
  }
  const variables = wanted.variables.filter(({ name }) => name === step.name);
  await api.secrets.update(step.id, step.entryId, { key: step.name, value: variables[0]?.value ?? "" });
  const taken = new Set([step.name]);
  return {
    owned: afterWrite(sending, variables, taken, {}),
    lists: compared.lists,
    sent: new Set([...sent, step.name]),
  };
}

/** Removes an entry. One that is no longer listed counts as removed, e.g. an alias whose variable was removed. */
async function remove({ id, entryId, isSecret }: EntryAction, api: Platform): Promise<void> {
  try {
    await (isSecret ? api.secrets.delete(id, entryId) : api.variables.delete(id, entryId));
  } catch (error) {
    if (!(error instanceof ApiError && error.failure.is === "NotFound")) throw error;
    const listed = await (isSecret ? api.secrets.list(id) : api.variables.list(id));
    if (listed.some((entry) => entry.id === entryId)) throw error;
  }
}

function without({ plain, secrets }: VariableLists, { entryId, isSecret }: EntryAction): VariableLists {
  const list = (isSecret ? secrets : plain)?.filter(({ id }) => id !== entryId);
  return isSecret ? { plain, secrets: list } : { plain: list, secrets };
}

/**
 * Returns what the resource wrote once these were sent.
 * @param taken the names of those that the platform took
 * @param lists what the platform shows after a request of which it left some out
 */
function afterWrite(
  { compared, facts: { owned, comparisons } }: Sending,
  variables: readonly WantedVariable[],
  taken: ReadonlySet<string>,
  lists: VariableLists,
): Owned {
  const { wanted, now } = compared;
  const isSame = sameContent(owned.written, wanted.fingerprint);
  const changed = variables.map((variable): OwnedVariable => {
    const known = ownedVariableOf(owned, variable.name) ?? { key: variable.name };
    if (!taken.has(variable.name)) {
      const { is } = shownVariable(lists, variable);
      return { ...known, failed: true, ...(is !== "hidden" && is !== "same" && { sent: undefined }) };
    }
    const { drift, shown } = comparisons.find((one) => one.variable === variable) ?? {};
    const replaced = drift === undefined || shown === undefined ? undefined : replacedBy(shown);
    return { ...asOwned(variable), ...(replaced !== undefined && { replaced }) };
  });
  // What an import of other content left out is sent again.
  const before = isSame ? owned : withVariables(owned, (owned.variables ?? []).map(untried));
  // What is there as a secret is not tried for no visible reason: it is sent as soon as it is removed.
  const isUnexplained = variables.some((one) => !taken.has(one.name) && !("entry" in shownVariable(lists, one)));
  const attempts = (isSame ? (owned.attempts ?? 0) : 0) + (isUnexplained ? 1 : 0);
  return {
    ...withVariables(before, changed),
    written: { ...wanted.fingerprint },
    ...(taken.size > 0 && { writtenAt: timeOfChange(now, compared.lastChange()) }),
    sentAt: now.toISOString(),
    attempts: attempts === 0 ? undefined : attempts,
  };
}

function untried({ failed: _failed, ...known }: OwnedVariable): OwnedVariable {
  return known;
}

/** Returns what the resource wrote once an entry is removed. */
function afterRemoval({ compared, facts: { owned } }: Sending, { name }: EntryAction): Owned {
  return { ...withoutVariable(owned, name), writtenAt: timeOfChange(compared.now, compared.lastChange()) };
}
