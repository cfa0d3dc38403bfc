import type {
  ContextPolicies,
  ContextRecords,
  ContextTypes,
  ReconcileContext,
} from "../../../src/engine/contract/kind.ts";

/** The members of a context in one flat object, so that tests can change single ones. */
export type FlatContext<Context extends ReconcileContext<ContextTypes>> = Omit<
  Context,
  "resource" | "policies" | "records"
> &
  Context["resource"] &
  ContextPolicies &
  Omit<ContextRecords, "wasReady"> &
  Partial<Pick<ContextRecords, "wasReady">>;

/** @returns the context with these members; further members are kept */
export function grouped<Context extends ReconcileContext<ContextTypes>>(flat: FlatContext<Context>): Context {
  const { name, generation, ...others } = flat;
  const { adoption, onMissing, corrects, retry, deadline, runSchedule, blockedOperations, pendingOperations, ...rest } =
    others;
  const { allowUnverifiedIds, allowedProjects, holderOf, presence, writtenAt, writtenInto, ...more } = rest;
  const { started, confirmedByUser, wasReady = false, failureLogLines, withoutSecrets, ...context } = more;
  return {
    ...context,
    resource: { name, generation },
    policies: {
      adoption,
      onMissing,
      corrects,
      retry,
      deadline,
      runSchedule,
      blockedOperations,
      pendingOperations,
      allowUnverifiedIds,
      allowedProjects,
      failureLogLines,
    },
    records: {
      holderOf,
      presence,
      writtenAt,
      writtenInto,
      wasReady,
      withoutSecrets,
      ...(started !== undefined && { started }),
      ...(confirmedByUser !== undefined && { confirmedByUser }),
    },
  } as unknown as Context;
}

/** The default policies of a context. */
export const USUAL_POLICIES: Pick<
  FlatContext<ReconcileContext<ContextTypes>>,
  | "blockedOperations"
  | "pendingOperations"
  | "writtenAt"
  | "writtenInto"
  | "withoutSecrets"
  | "presence"
  | "onMissing"
  | "corrects"
  | "retry"
  | "runSchedule"
> = {
  blockedOperations: new Set(),
  pendingOperations: new Set(),
  writtenAt: undefined,
  writtenInto: () => undefined,
  withoutSecrets: (text) => text,
  // As if a list had shown the object before, and lacked it for long enough since.
  presence: (evidence) => (evidence === "Shown" ? "Present" : evidence === "Missing" ? "Gone" : "Unproven"),
  onMissing: "Fail",
  corrects: "Settings",
  retry: undefined,
};

/** The default members of a context, besides the kind's own. */
export const USUAL_CONTEXT = {
  goal: "present",
  generation: 1,
  adoption: "IfUniqueName",
  requested: undefined,
  holderOf: () => undefined,
  allowUnverifiedIds: false,
  allowedProjects: undefined,
  ...USUAL_POLICIES,
} as const;
