/**
 * The change log: one line of the logger "changes" for every call that asks the platform for a change, with its author,
 * its cause and its result. The line of a create is the last record of its id (docs/architecture.md §6).
 */
import type { Change } from "../engine/context/context.ts";
import type { OrphanChange } from "../engine/orphans/ledger.ts";
import { notExecuted } from "../platform/transport/errors.ts";
import type { Logger } from "./logger.ts";
import type { RunningReconcile } from "./reconcile-tracker.ts";
import { fieldsOf, fieldsOfCall, targetOf } from "./telemetry.ts";

export interface ChangeLogOptions {
  readonly log: Logger;
  /** The uid of kube-system. */
  readonly installation: string;
}

/** Writes the line of one change. @param pass the reconcile that made it, which knows the call */
export function logChange(
  { log, installation }: ChangeLogOptions,
  change: Change,
  pass: RunningReconcile | undefined,
): void {
  const { key, uid, generation, cause, op, commit, result, sent } = change;
  const made = pass?.changed?.call.operation === op ? pass.changed : undefined;
  const { level, message } = said(result, sent);
  log[level](message, {
    ...fieldsOf(key),
    uid,
    generation,
    installation,
    cause,
    op,
    id: change.id ?? (made === undefined ? undefined : targetOf(made.call)),
    commit,
    result,
    ...(made === undefined ? {} : { connection: made.connection, ...fieldsOfCall(made.call) }),
  });
}

const ORPHANED = {
  recorded: "left an object on the platform",
  found: "found an object again that was left on the platform",
  forgotten: "an object that was left on the platform was taken out of the orphan ledger by hand",
  dropped: "the orphan ledger is full: its oldest entry is dropped",
} as const satisfies Record<OrphanChange["is"], string>;

/** Writes the line of one change of the orphan ledger. */
export function logOrphan(log: Logger, { is, orphan }: OrphanChange): void {
  const { kind, namespace, name, id, parentId, installation, host, organizationId, why, at } = orphan;
  log[is === "dropped" ? "warn" : "info"](ORPHANED[is], {
    ...fieldsOf({ kind, namespace, name }),
    installation,
    id,
    parentId,
    host,
    organizationId,
    reason: why,
    since: at,
    orphan: is,
  });
}

/** A call that the rate gate prevented is not logged: it is tried again until it has a result. */
function said(result: Change["result"], sent: boolean): { level: "debug" | "info" | "warn"; message: string } {
  if (result === "ok") return { level: "info", message: "changed the platform" };
  if (!notExecuted({ is: result })) return { level: "warn", message: "may have changed the platform" };
  if (!sent && HELD.has(result)) return { level: "debug", message: "has not changed the platform yet" };
  return { level: "warn", message: "could not change the platform" };
}

const HELD: ReadonlySet<Change["result"]> = new Set(["OverBudget", "RateLimited"]);
