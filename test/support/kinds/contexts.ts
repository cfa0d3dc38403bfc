import type {
  ContextPolicies,
  ContextRecords,
  ContextTypes,
  JsonObject,
  OpenIntent,
  ReconcileContext,
} from "../../../src/engine/contract/kind.ts";

type AnyContext = ReconcileContext<ContextTypes>;

/** The members of a context in one flat object, so that tests can change single ones. */
type FlatContext<Context extends AnyContext> = Omit<Context, "resource" | "policies" | "records"> &
  Context["resource"] &
  ContextPolicies &
  ContextRecords;

/** Changed members of a context, with the surface of the platform. */
export type ContextChange<Context extends AnyContext> = Partial<FlatContext<Context>> & {
  readonly surface?: "Documented" | "Full";
};

/** The same, with a part of the spec as a user writes it. */
export type SpecChange<Context extends AnyContext> = Omit<ContextChange<Context>, "spec"> & {
  readonly spec?: JsonObject;
};

const POLICIES: ContextPolicies = {
  adoption: "IfUniqueName",
  onMissing: "Fail",
  corrects: "Settings",
  retry: undefined,
  redeploy: undefined,
  runSchedule: undefined,
  forbiddenBy: undefined,
  blockedOperations: new Set(),
  pendingOperations: new Set(),
  allowUnverifiedIds: false,
  allowedProjects: undefined,
  failureLogLines: undefined,
};

const RECORDS: ContextRecords = {
  holderOf: () => undefined,
  nameOf: () => undefined,
  // As if a list had shown the object before, and lacked it for long enough since.
  presence: (evidence) => (evidence === "Shown" ? "Present" : evidence === "Missing" ? "Gone" : "Unproven"),
  unread: () => {},
  writtenAt: undefined,
  writtenInto: () => undefined,
  withoutSecrets: (text) => text,
  // The content itself.
  fingerprint: (content) => ({ key: "k", digest: JSON.stringify(content), sources: "s" }),
  isSecretChanged: false,
  started: false,
};

/**
 * Returns a context with the usual members of a kind, and a change. Without an id the object is not known to exist; by
 * default the surface is the documented one.
 */
export function buildContext<Context extends AnyContext>(
  usual: ContextChange<Context> & Pick<Context, Extract<keyof Context, "spec" | "inputs">>,
  change: ContextChange<Context> = {},
): Context {
  const {
    name,
    generation,
    surface: _surface,
    ...flat
  } = {
    name: "thing",
    generation: 1,
    goal: "present",
    now: new Date("2026-11-21T10:00:00Z"),
    id: undefined,
    identitySource: usual.id === undefined ? undefined : "recorded",
    memory: {},
    requested: undefined,
    isFull: (change.surface ?? usual.surface) === "Full",
    ...POLICIES,
    ...RECORDS,
    ...usual,
    ...change,
  };
  const membersIn = (group: object) => Object.fromEntries(Object.entries(flat).filter(([key]) => key in group));
  const own = Object.entries(flat).filter(([key]) => !(key in POLICIES) && !(key in RECORDS));
  return {
    ...Object.fromEntries(own),
    resource: { name, generation },
    policies: membersIn(POLICIES),
    records: membersIn(RECORDS),
  } as unknown as Context;
}

/** An intent for a request whose outcome is not known. */
export function openIntent(op: string, change: Partial<OpenIntent> = {}): OpenIntent {
  const usual = { creates: false, parentId: undefined, name: undefined, id: undefined, commit: undefined, mark: null };
  return { op, ...usual, ...change };
}
