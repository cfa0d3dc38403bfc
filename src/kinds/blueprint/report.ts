/** Builds the report of a blueprint. Pure. */
import {
  refreshed,
  type ConditionFact,
  type DriftField,
  type Report,
  type StatusReason,
} from "../../engine/contract/kind.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import type { ServiceFailure } from "../service/crd-status.ts";
import { failureFacts, lastFailure } from "../service/failure.ts";
import { explainFailure, shownState, stateCondition } from "../service/messages.ts";
import { serviceRecord } from "../service/model.ts";
import { carries, hasFailed, type Progress } from "../service/progress.ts";
import { serviceReport, upToDateCondition } from "../service/report.ts";
import { redeployDue, redeployRefusal } from "../shared/redeploy.ts";
import { hasOperation } from "../shared/surface.ts";
import { fitOptional } from "../shared/text.ts";
import type { BlueprintMemory } from "./crd.ts";
import { type BlueprintFacts, blueprintFacts, isBlueprintShown } from "./facts.ts";
import {
  BLUEPRINT_SETTINGS,
  type BlueprintContext,
  configCondition,
  isToRun,
  NAMES,
  type Observed,
  sameVariables,
  variablesRefused,
  written,
} from "./model.ts";

/** Builds the report. */
export function report(context: BlueprintContext, observed: Observed): Report {
  const { memory, spec } = context;
  const why = ready(context, observed);
  // A service that does not belong to this resource, or not yet, is neither reported nor remembered.
  if (context.identitySource !== "recorded") return { ready: why, conditions: configCondition(spec), status: {} };
  const facts = blueprintFacts(context, observed);
  const { last, progress } = facts;
  const failure = failureFacts(context, progress, last, (state) => describeFailure(context, observed, state));
  const service = serviceRecord(context, observed);
  return serviceReport(
    { ...NAMES, settings: BLUEPRINT_SETTINGS },
    context,
    observed,
    { last, run: NO_RUN_STATE },
    {
      ready: why,
      redeployRefusal: refusedRedeploy(context),
      conditions: [
        ...configCondition(spec, service?.type),
        ...stateConditions(observed, progress),
        ...upToDate(context, facts),
        ...variablesCondition(context, observed),
      ],
      status: {
        serviceId: service?.serviceId ?? memory.serviceId,
        serviceType: fitOptional(service?.type),
        catalogUrl: memory.catalogUrl,
        createdAt: memory.createdAt,
        written: rememberedWrites(context),
      },
      lastFailure: lastFailure(context, observed, progress, failure),
      drift: isBlueprintShown(context, observed) ? drift(context, observed) : undefined,
    },
  );
}

/** A spec wants no run state. */
const NO_RUN_STATE = { wanted: undefined, heldUntil: undefined, unsupported: undefined, shown: undefined };

function ready(context: BlueprintContext, observed: Observed): StatusReason {
  const what = `Service "${context.spec.name}" of the blueprint ${context.spec.tag}`;
  if (observed.status === undefined) return unshown(context, observed, what);
  const phase = servicePhase(observed.status.state);
  if (phase === "running") return { reason: "Deployed", message: `${what} is deployed.` };
  const left = "and the operator does not deploy it";
  if (phase === "stopped") return { reason: "NotDeployed", message: `${what} is stopped on the platform, ${left}.` };
  return { reason: "NotDeployed", message: `${what} exists on the platform and is not deployed.` };
}

/** Returns the reason of Ready where the platform does not show the service: only its creation is known. */
function unshown(context: BlueprintContext, observed: Observed, what: string): StatusReason {
  const { createdAt, lastDeployment } = context.memory;
  if (context.isFull) {
    const message = `The platform does not answer listServices, the operation that shows the service of a blueprint. Look at ${what} on the platform.`;
    return { reason: "NotObservable", message };
  }
  if (blueprintFacts(context, observed).progress?.phase === "running") {
    const message = `${what} was created and deployed; the platform's surface does not show what became of it since.`;
    return { reason: "Deployed", message };
  }
  if (createdAt !== undefined && lastDeployment === undefined) {
    const message = `${what} was created. Nothing will deploy it: spec.deployOnCreate was false, and the platform's surface has no deployment of blueprints. Deploy it on the platform.`;
    return { reason: "Available", message };
  }
  const how = createdAt === undefined ? "adopted" : "created, and its deployment was requested";
  return { reason: "NotObservable", message: `${what} was ${how}; the platform's surface does not show its state.` };
}

/** Returns the condition Deployed where the platform shows no state of the service. */
function stateConditions(observed: Observed, progress: Progress | undefined): readonly ConditionFact[] {
  if (observed.status !== undefined) return [];
  if (progress !== undefined) return [stateCondition("Deployed", progress.state, "deployment of its creation")];
  if (observed.areStatesShown === true) return [];
  const message = "The platform's surface shows neither the service of a blueprint nor its state.";
  return [{ type: "Deployed", status: "Unknown", reason: "NotObservable", message }];
}

/** Returns why the annotation redeploy-requested-at is refused. */
function refusedRedeploy(context: BlueprintContext): string | undefined {
  if (hasOperation(context, NAMES.operations.deploy)) return redeployRefusal(NAMES.noun, context, undefined);
  return redeployDue(context) && "The platform's surface has no deployment of blueprints.";
}

/** Reports whether the last change is deployed, where the operator can deploy it and the service has been deployed. */
function upToDate(context: BlueprintContext, { isPending, last, progress }: BlueprintFacts): readonly ConditionFact[] {
  const phase = progress?.phase;
  if (phase === undefined || phase === "idle" || !hasOperation(context, NAMES.operations.deploy)) return [];
  const isUpToDate = carries(phase, last) && !isPending && !(last !== undefined && hasFailed(last));
  return [upToDateCondition(isUpToDate, "The settings and variables that were written last are not deployed yet.")];
}

/** Reports whether the platform was sent the current variables; no condition without variables. */
function variablesCondition(context: BlueprintContext, observed: Observed): readonly ConditionFact[] {
  const { inputs, memory } = context;
  if (inputs.variables.length + inputs.objects.length === 0 && sameVariables(context)) return [];
  const type = "VariablesSynced";
  const refused = variablesRefused(context, observed);
  if (refused !== undefined) return [{ type, status: "False", ...refused }];
  if (!sameVariables(context)) {
    const message = "The variables, or values in Secrets and ConfigMaps that they refer to, are not sent yet.";
    return [{ type, status: "False", reason: "VariablesPending", message }];
  }
  if (memory.createdAt === undefined && (memory.written?.revision ?? 0) === 0) {
    const message = "The service was adopted, and the platform does not show its variables.";
    return [{ type, status: "Unknown", reason: "NotObservable", message }];
  }
  return [{ type, status: "True", reason: "VariablesSynced", message: "All variables were sent." }];
}

function describeFailure(context: BlueprintContext, { status }: Observed, state: string): ServiceFailure {
  const message = hasOperation(context, NAMES.operations.deploy)
    ? explainFailure(state, NAMES).message
    : `The platform reports ${state}. Look at the service on the platform and deploy it there.`;
  return {
    state,
    message,
    ...(status?.deploymentRequestId !== undefined && { requestId: status.deploymentRequestId }),
  };
}

/** Returns what was sent. For an adopted service, the spec at that time is the baseline. */
function rememberedWrites(context: BlueprintContext): BlueprintMemory["written"] {
  const known = context.memory.written ?? { ...written(context), variableNames: undefined };
  return {
    ...known,
    variables: refreshed(known.variables ?? { ...context.inputs.fingerprint }, context.inputs.fingerprint),
  };
}

function drift(context: BlueprintContext, { status }: Observed): readonly DriftField[] {
  const phase = servicePhase(status?.state ?? "");
  const isEnded = isToRun(context) && (phase === "stopped" || phase === "gone");
  return isEnded ? [{ path: "state", desired: "DEPLOYED", observed: shownState(status?.state ?? "") }] : [];
}
