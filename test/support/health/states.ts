/** The status for each of the platform's states, of the kinds that have a state. */
import type { JsonObject, Kind } from "../../../src/engine/contract/kind.ts";
import type { ReconcileResult } from "../../../src/engine/status/build.ts";
import { application } from "../../../src/kinds/application/index.ts";
import { blueprint } from "../../../src/kinds/blueprint/index.ts";
import { cluster } from "../../../src/kinds/cluster/index.ts";
import { database } from "../../../src/kinds/database/index.ts";
import { operation } from "../../../src/kinds/operation/index.ts";
import { NOTHING_OBSERVED } from "../../../src/kinds/operation/model.ts";
import { clusterStates, serviceStates } from "../../../src/platform/codec/states.ts";
import type { Observation } from "../hostile/observations.ts";
import { clusterContext, listed } from "../kinds/cluster-contexts.ts";
import { composed } from "../kinds/composed.ts";
import { operationContext } from "../kinds/operation-contexts.ts";
import * as applications from "../services/applications.ts";
import * as blueprints from "../services/blueprints.ts";
import * as databases from "../services/databases.ts";
import { created, kstatusOf, NOW, type Health, type HealthCase } from "./case.ts";

/** A state that the platform may add in the future. */
const FUTURE = "HIBERNATING";

interface Row {
  readonly kind: Kind;
  readonly states: readonly string[];
  readonly observation: (state: string) => Observation;
  readonly spec?: JsonObject;
  /** The suffix after the state in the name of the case. */
  readonly suffix?: string;
  readonly health: (state: string) => "Healthy" | "Progressing" | "Degraded";
}

const STATES = { services: [...serviceStates, FUTURE], clusters: [...clusterStates, FUTURE] };
/** The states that differ for services that should be stopped; all others are as for running ones. */
const STOPPING = ["DEPLOYED", "DEPLOYMENT_ERROR", "READY", "STOPPED", "STOPPING", "STOP_QUEUED", "WAITING_STOPPING"];

const FAILED = /_ERROR$|^(?:CANCELED|DELETED|INVALID_CREDENTIALS)$/;

/** The health of a service that should run: a failed one needs a person, as does one that another user stopped. */
function running(state: string): "Healthy" | "Progressing" | "Degraded" {
  if (["DEPLOYED", "RESTARTED", "READY"].includes(state)) return "Healthy";
  return FAILED.test(state) || state === "STOPPED" ? "Degraded" : "Progressing";
}

/** The health of a cluster that should run: the operator deploys it itself. */
function clusterRunning(state: string): "Healthy" | "Progressing" | "Degraded" {
  return ["READY", "STOPPED"].includes(state) ? "Progressing" : running(state);
}

/** The health of a service that should be stopped. */
function stopped(state: string): "Healthy" | "Progressing" {
  return ["READY", "STOPPED"].includes(state) ? "Healthy" : "Progressing";
}

const observation = (pass: object, observed: object): Observation => ({ pass, observed }) as unknown as Observation;
const kindOf = (kind: object): Kind => kind as unknown as Kind;
const STOPPED: JsonObject = { runState: "Stopped" };

/** A kind that runs and can be stopped. @param running the spec of one that should run */
function stoppable(
  kind: object,
  running: JsonObject,
  health: Row["health"],
  states: readonly string[],
  seen: (state: string, spec: JsonObject) => Observation,
): readonly Row[] {
  const row = { kind: kindOf(kind) };
  const stopping = STOPPING.filter((state) => states.includes(state));
  return [
    { ...row, states, spec: running, observation: (state) => seen(state, running), health },
    {
      ...row,
      states: stopping,
      spec: STOPPED,
      suffix: "to-stop",
      observation: (state) => seen(state, STOPPED),
      health: stopped,
    },
  ];
}

const ROWS: readonly Row[] = [
  ...stoppable(application, {}, running, STATES.services, (state, spec) =>
    observation(applications.passWith({ surface: "Full", spec }), applications.observedFull(state)),
  ),
  ...stoppable(database, {}, running, STATES.services, (state, spec) =>
    observation(databases.passWith({ spec }), databases.observedFull(state)),
  ),
  {
    kind: kindOf(blueprint),
    states: STATES.services,
    observation: (state) =>
      observation(blueprints.passWith({ memory: { createdAt: undefined } }), blueprints.observedIn(state)),
    health: running,
  },
  ...stoppable(cluster, { runState: "Running" }, clusterRunning, STATES.clusters, (state, spec) =>
    observation(clusterContext({}, spec), listed(state)),
  ),
  {
    kind: kindOf(operation),
    states: ["Complete", "Accepted", "Failed"],
    observation: (state) => {
      const ended =
        state === "Failed"
          ? { reason: "OperationRejected", message: "The platform rejected the operation (422)." }
          : { reason: state === "Accepted" ? "Accepted" : "Completed", message: "The invoices were sent." };
      const outcome = { result: state === "Failed" ? "Failed" : "Complete", ...ended, at: NOW.toISOString() };
      return observation(
        operationContext({ type: "SendInvoices" }, { memory: { outcome } as never }),
        NOTHING_OBSERVED,
      );
    },
    health: (state) => (state === "Failed" ? "Degraded" : "Healthy"),
  },
];

/** Returns the result of a reconcile with this observation. A step with a request is reported before it is taken. */
function endingOf(kind: Kind, { pass, observed }: Observation): ReconcileResult {
  const plan = kind.plan(pass, observed);
  switch (plan.is) {
    case "settled":
      return { is: "settled", why: kind.report(pass, observed).ready };
    case "waiting":
    case "stalled":
      return { is: plan.is, why: plan.why, exchange: "ok" };
    case "unknown":
      return { is: "unknown", why: plan.why, keepsReady: false };
    case "step":
      if (plan.step.repeat === "once") return { is: "waiting", why: plan.step.why, exchange: "ok" };
      throw new Error(`${plan.step.op} leaves no status before its outcome`);
    case "adopt":
    case "forget":
      throw new Error(`a state of the platform leads to ${plan.is}`);
    default:
      return plan satisfies never;
  }
}

function caseOf({ kind, spec, suffix, health, ...row }: Row, state: string): HealthCase {
  const bare = created(kind.resource.kind);
  const object = { ...bare, spec: { ...(bare.spec as JsonObject), ...spec } };
  const look = row.observation(state);
  const { pass } = look;
  const status = composed({
    object,
    result: endingOf(kind, look),
    report: kind.report(pass, look.observed),
    memory: pass.memory,
    context: { ...pass, now: NOW },
  });
  const words = [kind.resource.kind, "state", state.replaceAll("_", "-"), ...(suffix === undefined ? [] : [suffix])];
  const expected: Exclude<Health, "Suspended"> = health(state);
  return {
    name: words.join("-").toLowerCase(),
    object: { ...object, status },
    health: expected,
    kstatus: kstatusOf(expected),
  };
}

/** The cases of each state and kind. */
export const states: readonly HealthCase[] = ROWS.flatMap((row) => row.states.map((state) => caseOf(row, state)));
