/** Builds `.status` from the result of a reconcile. Pure and deterministic (docs/project/architecture.md §5). */
import type { Reason } from "../../api/reasons.ts";
import type { Resource } from "../../api/resource.ts";
import { timeText, WRITE_LEDGER } from "../../api/status.ts";
import { member, sentJson } from "../../kube/api/json.ts";
import type { Json, JsonObject, KubeObject } from "../../kube/api/types.ts";
import { cleanText } from "../../text/text.ts";
import type { ConditionFact, DriftField, Report, Uuid, StatusReason } from "../contract/kind.ts";
import {
  conditionOf,
  conditionsOf,
  isSettled,
  NOT_SHOWN,
  type Condition,
  type ConditionStatus,
  membersOf,
  recordedIn,
} from "../contract/status.ts";
import { type Intent, readSlot } from "../ledger/intent.ts";
import type { RecordedIdentity } from "../ledger/record.ts";
import type { PolicyStatus } from "../policies/policy-status.ts";
import type { Exchange, ReconcileResult } from "./outcome.ts";

export interface ReconcileOutcome {
  readonly object: KubeObject;
  readonly result: ReconcileResult;
  /** Absent when nothing was observed in this reconcile: then the stored facts stay. */
  readonly report: Report | undefined;
  /** The kind's memory. Members of the report override it. */
  readonly memory: JsonObject;
  readonly resource: Pick<Resource, "lifecycle" | "recorded">;
  readonly id: Uuid | undefined;
  readonly recordedIdentity: RecordedIdentity | undefined;
  /** A list of the platform has shown the object. */
  readonly isListed: boolean;
  /** The action intent that stays open. */
  readonly intent: Intent | undefined;
  /** The reconcile-requested-at token that this reconcile handled. */
  readonly handled: string | undefined;
  /** The redeploy-requested-at value that this reconcile handled without a deployment. */
  readonly handledRedeploy?: string | undefined;
  /** What the policies report; undefined where nothing was planned, or the kind has no such members. */
  readonly policyStatus: PolicyStatus | undefined;
  readonly now: Date;
}

/** The largest number of bytes of a message (docs/project/architecture.md §5). */
const MESSAGE_CAP = 1_024;

/** The conditions that follow from the result and the drift. The report has all other conditions. */
const ENDING_TYPES = new Set(["Ready", "Synced", "Reconciling", "Stalled", "Drifted"]);

/** Returns the whole new `.status`. It equals the stored one, timestamps included, when nothing changed. */
export function buildStatus(outcome: ReconcileOutcome): JsonObject {
  const { object, report, memory, id, resource } = outcome;
  const kept = report === undefined ? keptFacts(object) : {};
  const members = Object.entries({ ...kept, ...memory, ...report?.status });
  const isRecorded = ([name]: (typeof members)[number]) => resource.recorded.includes(name);
  return sentJson({
    ...Object.fromEntries(members.filter((one) => !isRecorded(one))),
    observedGeneration: observedGeneration(outcome),
    externalId: id,
    lastHandledReconcileAt: outcome.handled ?? member(object.status, "lastHandledReconcileAt"),
    lastHandledRedeployAt:
      outcome.handledRedeploy ?? memory["lastHandledRedeployAt"] ?? member(object.status, "lastHandledRedeployAt"),
    ...outcome.policyStatus,
    drift: report === undefined ? member(object.status, "drift") : driftFields(report.drift),
    conditions: conditions(outcome),
    [WRITE_LEDGER]: writeLedger(outcome, Object.fromEntries(members.filter(isRecorded))),
  });
}

/** Returns the write ledger. @param members the kind's own members of it */
function writeLedger(
  { object, recordedIdentity, isListed, intent }: ReconcileOutcome,
  members: JsonObject,
): JsonObject | undefined {
  const ledger = {
    ...members,
    identity:
      recordedIdentity === undefined
        ? recordedIn(object, "identity")
        : { ...recordedIdentity, ...(isListed && { listed: true }) },
    intent: intent === undefined ? unreadableIntent(object) : { ...intent },
  };
  return Object.values(ledger).every((value) => value === undefined) ? undefined : ledger;
}

/**
 * Returns the generation that was evaluated. Neither a pause nor an error of the connection evaluates a settled object.
 */
function observedGeneration({ object, result }: ReconcileOutcome): number {
  const evaluated = result.is !== "paused" && result.is !== "deferred" && !(result.is === "held" && isSettled(object));
  return evaluated ? (object.metadata.generation ?? 0) : Number(member(object.status, "observedGeneration") ?? -1);
}

function driftFields(drift: readonly DriftField[] | undefined): Json | undefined {
  if (drift === undefined || drift.length === 0) return undefined;
  return { fields: drift.slice(0, 20) };
}

/** Returns the stored intent if it is unreadable: it is kept. */
function unreadableIntent(object: KubeObject): Json | undefined {
  const raw = recordedIn(object, "intent");
  return readSlot(raw).is === "unreadable" ? raw : undefined;
}

/** Returns the kind's facts of the last observation, kept while nothing new was observed. */
function keptFacts(object: KubeObject): JsonObject {
  const { identity: _identity, intent: _intent, conditions: _conditions, ...facts } = membersOf(object);
  return facts;
}

function conditions(outcome: ReconcileOutcome): readonly Condition[] {
  const { object, report } = outcome;
  const result = steady(object, outcome.result);
  const generation = object.metadata.generation ?? 0;
  const facts: ConditionFact[] = [...endingFacts(object, result), ...driftFact(outcome)];
  if (report === undefined) {
    const kept = conditionsOf(object).filter(({ type }) => !ENDING_TYPES.has(type));
    facts.push(...kept.map((old) => keptFact(old, generation)));
  } else {
    facts.push(...report.conditions);
  }
  return facts
    .map((fact) => condition(object, fact, generation, outcome.now))
    .toSorted((left, right) => rank(left.type) - rank(right.type) || (left.type < right.type ? -1 : 1));
}

/** Conditions of a kind that compare the spec with the platform. */
const COMPARING_TYPES = new Set(["UpToDate", "VariablesSynced"]);

/**
 * Returns a condition of the last observation, kept while nothing new was observed. What equaled an earlier spec may not
 * equal the current one.
 */
function keptFact(old: Condition, generation: number): ConditionFact {
  const isStale = COMPARING_TYPES.has(old.type) && old.status === "True" && old.observedGeneration !== generation;
  return isStale ? fact(old.type, "Unknown", NOT_COMPARED) : old;
}

const NOT_COMPARED: StatusReason = {
  reason: "Progressing",
  message: "The spec has changed, and was not compared with the platform yet.",
};

/** Reasons whose messages differ from call to call. The first message stays while the reason stays. */
const OUTAGES: ReadonlySet<Reason> = new Set([
  "PlatformUnavailable",
  "PlatformUnreachable",
  "RateLimited",
  "UnexpectedResponse",
]);

function steady(object: KubeObject, result: ReconcileResult): ReconcileResult {
  if (result.is !== "retry" || !OUTAGES.has(result.why.reason)) return result;
  const synced = conditionOf(object, "Synced");
  if (synced?.status !== "False" || synced.reason !== result.why.reason) return result;
  const reported = synced.message === FAILED ? conditionOf(object, "Ready") : synced;
  if (reported?.reason !== result.why.reason) return result;
  return { ...result, why: { ...result.why, message: reported.message } };
}

const rank = (type: string): number => {
  const order = ["Ready", "Synced", "Reconciling", "Stalled"].indexOf(type);
  return order === -1 ? 9 : order;
};

function condition(object: KubeObject, fact: ConditionFact, generation: number, now: Date): Condition {
  const old = conditionOf(object, fact.type);
  const observedGeneration = "observedGeneration" in fact ? Number(fact.observedGeneration) : generation;
  return {
    type: fact.type,
    status: fact.status,
    observedGeneration,
    lastTransitionTime: old?.status === fact.status ? old.lastTransitionTime : timeText(now),
    reason: fact.reason,
    // Quoted names, keys and texts of the platform may contain line breaks, control characters and any length.
    message: cleanText(fact.message, MESSAGE_CAP),
  };
}

const fact = (
  type: string,
  status: ConditionStatus,
  { reason, message }: Pick<ConditionFact, "reason" | "message">,
): ConditionFact => ({ type, status, reason, message });

const SYNCED: StatusReason = { reason: "ReconcileSuccess", message: "The last exchange with the platform succeeded." };
/** The message of Synced=False where Ready has the sentence that says how. */
export const FAILED = "The last exchange with the platform failed.";
const NOT_YET: StatusReason = { reason: "Progressing", message: "Nothing was exchanged with the platform yet." };
const NO_DRIFT: StatusReason = { reason: "NoDrift", message: "The platform equals the spec where it can be compared." };
const NOT_SHOWN_TO_COMPARE: StatusReason = {
  reason: "NotObservable",
  message: "The platform shows nothing of the object that could be compared with the spec.",
};
const PAUSED: StatusReason = {
  reason: "ReconcilePaused",
  message: "Reconciling is paused by the annotation platform-operator.io/paused. Deletion still works.",
};

/** Returns Ready, Synced, and Reconciling or Stalled while True. */
function endingFacts(object: KubeObject, result: ReconcileResult): readonly ConditionFact[] {
  switch (result.is) {
    case "settled":
      return [
        fact("Ready", result.why.reason === NOT_SHOWN ? "Unknown" : "True", result.why),
        fact("Synced", "True", SYNCED),
      ];
    case "waiting": {
      const synced = syncedFact(object, result.exchange, result.why);
      if (result.why.reason === "UnknownState") return [fact("Ready", "Unknown", result.why), synced];
      return [fact("Ready", "False", result.why), synced, reconciling(result.why)];
    }
    case "unknown": {
      const ready = result.keepsReady ? stored(object, "Ready") : [];
      if (ready.length === 0) return [fact("Ready", "Unknown", result.why), fact("Synced", "True", SYNCED)];
      return [...ready, fact("Synced", "True", SYNCED), ...stored(object, "Reconciling")];
    }
    case "stalled":
      return [
        fact("Ready", "False", result.why),
        syncedFact(object, result.exchange, result.why),
        fact("Stalled", "True", result.why),
      ];
    case "retry":
      if (result.isOutage === true)
        return [fact("Ready", "False", outage(result.why)), fact("Synced", "False", result.why)];
      if (isSettled(object)) return [...stored(object, "Ready"), fact("Synced", "False", result.why)];
      return [fact("Ready", "False", result.why), syncedFact(object, "failed", result.why), reconciling(result.why)];
    case "held":
      if (isSettled(object))
        return [
          ...stored(object, "Ready"),
          ...(result.stale ? [fact("Synced", "False", result.why)] : stored(object, "Synced")),
        ];
      return [fact("Ready", "False", result.why), syncedFact(object, "none", result.why), reconciling(result.why)];
    case "deferred":
      return [...ENDING_TYPES].filter((type) => type !== "Drifted").flatMap((type) => stored(object, type));
    case "paused": {
      const ready = stored(object, "Ready");
      return [
        ...(ready.length > 0 ? ready : [fact("Ready", "False", PAUSED)]),
        fact("Synced", "False", PAUSED),
        ...stored(object, "Stalled"),
      ];
    }
    default:
      return result satisfies never;
  }
}

/**
 * Returns the reason of a connection whose probes have failed for too long. A platform that only answers with errors
 * counts as unreachable.
 */
const outage = ({ reason, message }: StatusReason): StatusReason => ({
  reason: reason === "PlatformUnavailable" ? "PlatformUnreachable" : reason,
  message: `${message} Resources that are Ready keep their status; all other work through this connection waits.`,
});

const reconciling = (why: StatusReason): ConditionFact =>
  fact("Reconciling", "True", { reason: "Progressing", message: why.message });

function stored(object: KubeObject, type: string): readonly ConditionFact[] {
  const old = conditionOf(object, type);
  return old === undefined ? [] : [old];
}

function syncedFact(object: KubeObject, exchange: Exchange, why: StatusReason): ConditionFact {
  if (exchange === "ok") return fact("Synced", "True", SYNCED);
  if (exchange === "failed") return fact("Synced", "False", { reason: why.reason, message: FAILED });
  return stored(object, "Synced")[0] ?? fact("Synced", "Unknown", NOT_YET);
}

function driftFact({ object, report, resource }: ReconcileOutcome): readonly ConditionFact[] {
  if (report === undefined) return stored(object, "Drifted");
  if (report.drift === undefined)
    // Such a resource always says how its object should be; others may want nothing of it.
    return resource.lifecycle === "Managed" ? [fact("Drifted", "Unknown", NOT_SHOWN_TO_COMPARE)] : [];
  if (report.drift.length === 0) return [fact("Drifted", "False", NO_DRIFT)];
  return [fact("Drifted", "True", { reason: "DriftDetected", message: driftMessage(report.drift) })];
}

function driftMessage(drift: readonly DriftField[]): string {
  const fields = drift.slice(0, 5).map((field) => `${field.path} is ${field.observed} instead of ${field.desired}`);
  const more = drift.length > 5 ? `, and ${drift.length - 5} more` : "";
  return `The platform differs from the spec: ${fields.join(", ")}${more}.`;
}
