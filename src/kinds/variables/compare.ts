/**
 * Compares the variables that a resource declares with those that it wrote and those that the platform lists, and
 * decides what to send (docs/project/architecture.md §8). Pure.
 */
import type { Ms, ReconcileContext, Uuid } from "../../engine/contract/kind.ts";
import { sameContent } from "../../engine/contract/kind.ts";
import type { Wanted, WantedVariable } from "./declared.ts";
import {
  asOwned,
  fingerprintOfWhole,
  isWritten,
  leftovers,
  type Owned,
  type OwnedVariable,
  ownedVariableOf,
  timeOfChange,
  underKey,
  withoutVariable,
  withVariables,
} from "./owned.ts";

/** An entry of the platform's lists, without its value. */
export interface ListedVariable {
  readonly key: string;
  readonly isSecret: boolean;
  /** undefined where the platform does not show it. */
  readonly id: Uuid | undefined;
  /** Digest of the name and the value; undefined where the platform does not show the value, e.g. of a secret. */
  readonly digest: string | undefined;
  /** undefined where the platform does not show it: then the entry may be inherited. */
  readonly scope: string | undefined;
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
}

/** The platform's lists of an application. A list that was not read, or in which a name is missing, is undefined. */
export interface VariableLists {
  readonly plain?: readonly ListedVariable[] | undefined;
  readonly secrets?: readonly ListedVariable[] | undefined;
}

/** What the platform shows of a variable. */
export type ShownVariable =
  | { readonly is: "unread" | "absent" }
  /** `hidden`: it is there, with the declared kind, and its value is not shown. */
  | { readonly is: "same" | "otherValue" | "otherKind" | "hidden"; readonly entry: ListedVariable };

/** Why a variable is not on the platform as declared. */
export type VariableProblem =
  /** It is to be sent and was not yet. */
  | "unsent"
  /** Others removed or changed it, and it is to be sent again. */
  | "changed"
  /** The platform did not take it, and it is sent again later. */
  | "later"
  /** The platform did not take it, several times. */
  | "refused"
  /** Others made it, and spec.overwrite is false. */
  | "kept"
  /** It is there as a secret, or with the other kind, and the surface cannot replace it. */
  | "stuck"
  /** Others changed a secret that the surface cannot replace. */
  | "fixed"
  /** The platform stores another value than was sent. */
  | "altered";

/** The request that brings a variable to its declared state. "remove" makes room for one of the other kind. */
export type Remedy = "import" | "updateSecret" | "remove";

/** What is known of a declared variable. */
export interface VariableComparison {
  readonly variable: WantedVariable;
  readonly shown: ShownVariable;
  /** What is to be sent; undefined where nothing is, or nothing helps. */
  readonly remedy?: Remedy | undefined;
  /** undefined where it is in place. */
  readonly problem?: VariableProblem | undefined;
  /** What the platform shows in place of what the resource wrote. */
  readonly drift?: "missing" | "another value" | "a secret" | "a plain variable" | "changed by others" | undefined;
}

/** A variable that the resource wrote and does not declare any more. */
export interface Leftover {
  readonly known: OwnedVariable;
  /** The entry to remove; undefined where the surface cannot remove it, or no list that was read shows it. */
  readonly entry: ListedVariable | undefined;
}

/** What is known of the variables of a resource in one application. */
export interface VariableFacts {
  /** What the resource wrote, after what the lists show. */
  readonly owned: Owned;
  readonly comparisons: readonly VariableComparison[];
  readonly leftovers: readonly Leftover[];
}

/** What the facts are made of. */
export interface Compared {
  readonly wanted: Wanted;
  /** What the status says that the resource wrote. */
  readonly known: Owned | undefined;
  readonly lists: VariableLists;
  /** The names that were sent in this reconcile: the lists are from before. */
  readonly sent: ReadonlySet<string>;
  /** Others deployed the application: hidden values of the declared names count as the declared ones. */
  readonly isAdopted: boolean;
  /** The platform's clock, else the operator's. */
  readonly now: Date;
  /** Returns when any resource last changed the application's variables. Current at each call. */
  readonly lastChange: () => string | undefined;
}

type Context = Pick<ReconcileContext, "isFull" | "requested">;

/** Gathers what is known of the variables of a resource in one application. */
export function compareVariables(context: Context, compared: Compared): VariableFacts {
  const { wanted } = compared;
  const seen = learned(compared, underKey(compared.known, wanted));
  const left = leftovers(seen, wanted.variables).map((known): Leftover => {
    const entry = entryOf(compared, seen, known);
    const isRemovable = typeof entry === "object" && isChangeable(context.isFull, entry);
    return { known, entry: isRemovable ? entry : undefined };
  });
  const owned = completed(seen, wanted, left);
  const comparisons = wanted.variables.map((variable) => compareOne(context, compared, owned, variable));
  return { owned, comparisons, leftovers: left };
}

/** Reports whether the platform's lists show that all is as declared, or nothing says otherwise. */
export function isInPlace({ comparisons }: Pick<VariableFacts, "comparisons">): boolean {
  return comparisons.every(({ problem }) => problem === undefined);
}

/** Reports whether a list shows the entry with this id. */
export function listsEntry({ plain = [], secrets = [] }: VariableLists, entryId: Uuid): boolean {
  return [...plain, ...secrets].some(({ id }) => id === entryId);
}

/** How long an import without an answer may take to land, and the largest difference of its entries' times. */
const LANDING_MS: Ms = 60_000;

/** How often variables that the platform does not take for no visible reason are sent, and the first interval. */
const ATTEMPTS = 3;
const RETRY_MS: Ms = 30_000;
/** How long after an import a reconcile request sends nothing, so that one request does not send variables twice. */
const REQUEST_PAUSE_MS: Ms = 5_000;

/** Reports whether an entry is the application's own, as far as its scope is shown: lists hold inherited ones too. */
export function isOfApplication({ scope }: { readonly scope?: string | undefined }): boolean {
  return scope === undefined || scope === "APPLICATION";
}

/** Returns what the platform shows of a variable. */
export function shownVariable(lists: VariableLists, { name, isSecret, scope, digest }: WantedVariable): ShownVariable {
  const own = isSecret ? lists.secrets : lists.plain;
  const other = isSecret ? lists.plain : lists.secrets;
  const isNamesake = namesakeOf(name, scope);
  const entries = own?.filter(isNamesake) ?? [];
  const entry = entries.find((one) => one.digest === digest) ?? entries[0];
  if (entry !== undefined) {
    if (entry.digest === undefined) return { is: "hidden", entry };
    return { is: entry.digest === digest ? "same" : "otherValue", entry };
  }
  const another = other?.find(isNamesake);
  if (another !== undefined) return { is: "otherKind", entry: another };
  return { is: own === undefined ? "unread" : "absent" };
}

function namesakeOf(name: string, scope = "APPLICATION"): (entry: ListedVariable) => boolean {
  return (entry) => entry.key === name && (entry.scope ?? scope) === scope;
}

/** Returns what the resource wrote, with what the lists show of requests without an answer and of removals. */
function learned(compared: Compared, known: Owned): Owned {
  const { wanted } = compared;
  const seen = wanted.variables.flatMap((variable) => {
    const before = ownedVariableOf(known, variable.name);
    const after = seenVariable(compared, known, variable, before);
    return after === undefined || after === before ? [] : [{ before, after }];
  });
  const gone = leftovers(known, wanted.variables).filter((one) => entryOf(compared, known, one) === "gone");
  const changed = withVariables(
    known,
    seen.map(({ after }) => after),
  );
  // An undeclared variable that the platform never took is of no interest either.
  const names = new Set(wanted.variables.map(({ name }) => name));
  const untaken = (known.variables ?? []).filter(
    ({ key, digest, sent }) => !names.has(key) && digest === undefined && sent === undefined,
  );
  const left = [...gone, ...untaken].reduce((all, { key }) => withoutVariable(all, key), changed);
  // A request took effect whose answer is not recorded: the application has to be deployed.
  const isLanded = seen.some(({ before, after }) => before?.sent !== undefined && before.sent === after.digest);
  const isChanged = isLanded || gone.length > 0;
  return isChanged ? { ...left, writtenAt: timeOfChange(compared.now, compared.lastChange()) } : left;
}

/** Returns what the resource wrote, without the marks of incomplete imports once all variables are written. */
function completed(known: Owned, { variables, fingerprint }: Wanted, some: readonly Leftover[]): Owned {
  const isWhole = variables.every((one) => isWritten(ownedVariableOf(known, one.name), one));
  if (!isWhole || (variables.length === 0 && known.written === undefined)) return known;
  const { attempts: _attempts, sentAt: _sentAt, ...rest } = known;
  // Until they are removed, the removals follow a change of the sources.
  if (some.some(({ entry }) => entry !== undefined)) return rest;
  return { ...rest, written: fingerprintOfWhole(known.written, fingerprint) };
}

/** Returns a variable with what a list shows of it; undefined where the list says nothing new. */
function seenVariable(
  compared: Compared,
  { sentAt }: Owned,
  variable: WantedVariable,
  known: OwnedVariable | undefined,
): OwnedVariable | undefined {
  const shown = shownOf(compared, variable, known);
  if (shown.is === "unread") return undefined;
  const taken = { ...asOwned(variable), ...(shown.is === "hidden" && { updatedAt: shown.entry.updatedAt }) };
  if (isWritten(known, variable)) return isNewsOfWritten(shown, known) ? taken : undefined;
  if (isTaken(compared, sentAt, variable, shown, known)) return taken;
  const made = madeBefore(sentAt, variable, shown, known);
  if (made !== undefined) return made;
  return known?.sent !== undefined && isLost(compared, sentAt, shown) ? { ...known, sent: undefined } : undefined;
}

/** Returns what a list shows of a variable. A list without scopes does not show whether it is in its new scope. */
function shownOf(
  { lists, sent }: Pick<Compared, "lists" | "sent">,
  variable: WantedVariable,
  known: OwnedVariable | undefined,
): ShownVariable {
  if (sent.has(variable.name)) return { is: "unread" };
  const shown = shownVariable(lists, variable);
  const isMoved = known?.digest !== undefined && known.scope !== variable.scope;
  return isMoved && "entry" in shown && shown.entry.scope === undefined ? { is: "unread" } : shown;
}

/** Reports whether a list shows the value again that others had replaced, or the time of a hidden value. */
function isNewsOfWritten(shown: ShownVariable, known: OwnedVariable | undefined): boolean {
  if (shown.is === "same") return known?.replaced !== undefined;
  return shown.is === "hidden" && known?.updatedAt === undefined && shown.entry.updatedAt !== undefined;
}

/** Reports whether a list shows that a variable is as it is declared although no answer said so. */
function isTaken(
  { wanted, isAdopted }: Compared,
  sentAt: string | undefined,
  variable: WantedVariable,
  shown: ShownVariable,
  known: OwnedVariable | undefined,
): boolean {
  if (shown.is === "same") return wanted.overwrite || known !== undefined;
  if (shown.is !== "hidden") return false;
  if (known?.sent === variable.digest) return isOfImport(shown.entry, sentAt);
  return isAdopted && known === undefined;
}

/**
 * Returns a variable with the value of an import without an answer, where a list shows that the import took effect and
 * the spec declares another value by now. A hidden value is that of the import if the import made the entry.
 */
function madeBefore(
  sentAt: string | undefined,
  variable: WantedVariable,
  shown: ShownVariable,
  known: OwnedVariable | undefined,
): OwnedVariable | undefined {
  if (known?.sent === undefined || !("entry" in shown)) return undefined;
  const { digest, isSecret, createdAt, updatedAt } = shown.entry;
  const isMade =
    shown.is === "hidden"
      ? known.digest === undefined && createdAt !== undefined && isOfImport(shown.entry, sentAt)
      : digest === known.sent;
  if (!isMade) return undefined;
  return { ...asOwned({ ...variable, isSecret, digest: known.sent }), ...(digest === undefined && { updatedAt }) };
}

/** Reports whether a request without an answer has not taken effect, and never will. */
function isLost({ now }: Compared, sentAt: string | undefined, shown: ShownVariable): boolean {
  return shown.is === "hidden" || !(Math.abs(now.getTime() - Date.parse(sentAt ?? "")) < LANDING_MS);
}

/** Reports whether an import at that time made an entry, and nobody changed it since. */
function isOfImport({ createdAt, updatedAt }: ListedVariable, sentAt: string | undefined): boolean {
  const isThen = !(Math.abs(Date.parse(createdAt ?? "") - Date.parse(sentAt ?? "")) > LANDING_MS);
  return isThen && !(Date.parse(updatedAt ?? "") > Date.parse(createdAt ?? ""));
}

/**
 * Returns the entry of a variable that is not declared any more; "unread" where no list shows it, "gone" where a list
 * lacks it, or has a variable of others in its place. The digest is keyed, so that nobody else can claim a value.
 */
function entryOf(
  { lists, sent }: Pick<Compared, "lists" | "sent">,
  { sentAt }: Owned,
  known: OwnedVariable,
): ListedVariable | "unread" | "gone" {
  const list = known.secret === true ? lists.secrets : lists.plain;
  if (list === undefined || sent.has(known.key)) return "unread";
  const entry = list.find(namesakeOf(known.key, known.scope));
  if (entry === undefined) return "gone";
  const isTheSame =
    entry.digest === undefined
      ? !(Date.parse(entry.updatedAt ?? "") > Date.parse(known.updatedAt ?? ""))
      : entry.digest === (known.digest ?? known.sent);
  const isOurs = known.digest === undefined && entry.isSecret ? isOfImport(entry, sentAt) : isTheSame;
  return isOurs ? entry : "gone";
}

/** Reports whether an entry can be changed and removed by its id: the surface can, and it is the application's own. */
function isChangeable(isFull: boolean, entry: ListedVariable): boolean {
  return isFull && entry.id !== undefined && isOfApplication(entry);
}

function compareOne(context: Context, compared: Compared, owned: Owned, variable: WantedVariable): VariableComparison {
  const known = ownedVariableOf(owned, variable.name);
  const shown = shownOf(compared, variable, known);
  const found =
    known !== undefined && isWritten(known, variable)
      ? compareWritten(context, owned, known, variable, shown)
      : compareUnwritten(context, compared, owned, known, variable, shown);
  return { variable, shown, ...found };
}

type Found = Omit<VariableComparison, "variable" | "shown">;

/** Compares a variable that the platform took as it is declared: others may have changed it since. */
function compareWritten(
  context: Context,
  owned: Owned,
  known: OwnedVariable,
  { isSecret }: WantedVariable,
  shown: ShownVariable,
): Found {
  switch (shown.is) {
    case "unread":
    case "same":
      return {};
    case "absent":
      return { remedy: "import", problem: "changed", drift: "missing" };
    case "otherValue": {
      const drift = "another value";
      const isAltered = known.replaced === shown.entry.digest && !isLater(shown.entry, owned.writtenAt);
      if (isAltered && context.requested === undefined) return { problem: "altered", drift };
      return { remedy: "import", problem: "changed", drift };
    }
    case "otherKind": {
      const drift = shown.entry.isSecret ? "a secret" : "a plain variable";
      if (isChangeable(context.isFull, shown.entry)) return { remedy: "remove", problem: "changed", drift };
      // An import may replace a plain variable by a secret.
      const isTried = !isSecret || known.replaced !== undefined;
      return isTried ? { problem: "stuck", drift } : { remedy: "import", problem: "changed", drift };
    }
    case "hidden":
      return compareHidden(context, known, shown.entry);
    default:
      return shown satisfies never;
  }
}

/** Compares a variable whose value is not shown: the time of its last change tells whether others changed it. */
function compareHidden({ isFull }: Context, known: OwnedVariable, entry: ListedVariable): Found {
  if (!(Date.parse(entry.updatedAt ?? "") > Date.parse(known.updatedAt ?? ""))) return {};
  const drift = "changed by others";
  if (!entry.isSecret) return { remedy: "import", problem: "changed", drift };
  if (!isChangeable(isFull, entry)) return { problem: "fixed", drift };
  return { remedy: "updateSecret", problem: "changed", drift };
}

/** Reports whether others changed an entry after the last write. */
function isLater({ updatedAt }: ListedVariable, writtenAt: string | undefined): boolean {
  return Date.parse(updatedAt ?? "") > Date.parse(writtenAt ?? "") + LANDING_MS;
}

/** Compares a variable that the platform did not take as it is declared. */
function compareUnwritten(
  context: Context,
  { wanted, isAdopted, now }: Compared,
  owned: Owned,
  known: OwnedVariable | undefined,
  variable: WantedVariable,
  shown: ShownVariable,
): Found {
  // Nothing is known of an adopted application whose lists cannot be read.
  if (shown.is === "same" || (shown.is === "unread" && isAdopted)) return {};
  const others = entryOfOthers(shown, known);
  const isKept = others !== undefined && !wanted.overwrite;
  // An entry without a scope may be inherited. The platform decides whether it creates the resource's own beside it.
  if (isKept && others.scope !== undefined) return { problem: "kept" };
  if (!isKept && isReplaceable(context, shown)) return { remedy: "updateSecret", problem: "unsent" };
  if (isDue(context, wanted, owned, known, now)) return foundDue(context, shown, others, variable);
  return isKept ? { problem: "kept" } : foundTried(shown, retryDecision(owned, now));
}

/** Returns the entry that is shown unless the resource made it, or may have. */
function entryOfOthers(shown: ShownVariable, known: OwnedVariable | undefined): ListedVariable | undefined {
  const mayBeOurs = known?.digest !== undefined || known?.sent !== undefined;
  return mayBeOurs || !("entry" in shown) ? undefined : shown.entry;
}

/** Reports whether a secret is shown that can be changed by its id. */
function isReplaceable({ isFull }: Context, shown: ShownVariable): boolean {
  return shown.is === "hidden" && shown.entry.isSecret && isChangeable(isFull, shown.entry);
}

/** @param others the entry, if the resource did not make it */
function foundDue(
  { isFull }: Context,
  shown: ShownVariable,
  others: ListedVariable | undefined,
  variable: WantedVariable,
): Found {
  if (shown.is === "otherKind" && isChangeable(isFull, shown.entry)) {
    if (others === undefined) return { remedy: "remove", problem: "unsent" };
    // A secret of others is not removed to make room for a plain variable.
    if (!variable.isSecret) return { problem: "stuck" };
  }
  return { remedy: "import", problem: "unsent" };
}

/** Returns the state of a variable that an import left out. */
function foundTried(shown: ShownVariable, retry: ReturnType<typeof retryDecision>): Found {
  if (shown.is === "otherKind" || (shown.is === "hidden" && shown.entry.isSecret)) return { problem: "stuck" };
  if (retry !== "send") return { problem: retry };
  return shown.is === "unread" ? { problem: "later" } : { remedy: "import", problem: "later" };
}

/** Reports whether a variable was not sent yet as it is declared, or the user asks for it once more. */
function isDue(
  { requested }: Context,
  { fingerprint }: Wanted,
  { written, sentAt }: Owned,
  known: OwnedVariable | undefined,
  now: Date,
): boolean {
  const isTried = known?.failed === true && sameContent(written, fingerprint);
  return !isTried || (requested !== undefined && !(sinceSent(sentAt, now) < REQUEST_PAUSE_MS));
}

/** Returns whether variables that an import left out are sent now, later or never. */
function retryDecision({ attempts = 0, sentAt }: Owned, now: Date): "send" | "later" | "refused" {
  if (attempts >= ATTEMPTS) return "refused";
  return sinceSent(sentAt, now) < attempts * RETRY_MS ? "later" : "send";
}

function sinceSent(sentAt: string | undefined, now: Date): Ms {
  return now.getTime() - Date.parse(sentAt ?? "");
}
