/** What a blueprint's status says. Pure. */
import { refreshed, type ConditionFact, type DriftField, type Report, type Why } from "../../engine/kind.ts";
import { servicePhase } from "../../platform/states.ts";
import type { BlueprintMemory } from "../../resources/blueprint.ts";
import { lastFailureOf } from "../service/history.ts";
import { ingressFields, ingressReady } from "../service/ingress.ts";
import { advanced, progressOf } from "../service/progress.ts";
import { shownState, stateCondition } from "../service/words.ts";
import { fitOptional } from "../text.ts";
import { configCondition } from "./engine.ts";
import { serviceOf, type BlueprintPass, type Seen } from "./model.ts";
import { sameVariables, settingsDrifted, written } from "./settings.ts";

export function report(pass: BlueprintPass, seen: Seen): Report {
  const config = configCondition(pass.spec);
  // Of what is not ours, or not yet, nothing is told or remembered.
  if (pass.proof !== "recorded") return { ready: ready(pass, seen), conditions: config, status: {} };
  const { memory } = pass;
  const { status } = seen;
  const service = serviceOf(pass, seen);
  return {
    ready: ready(pass, seen),
    conditions: [...deployed(pass, seen), ...config, ...variablesCondition(pass), ...ingressReady(seen.ingress)],
    status: {
      state: status === undefined ? undefined : shownState(status.state),
      serviceDeploymentStatus: fitOptional(status?.serviceDeploymentStatus),
      environmentId: pass.inputs.environmentId,
      serviceId: service?.serviceId ?? memory.serviceId,
      serviceType: fitOptional(service?.type),
      catalogUrl: memory.catalogUrl,
      createdAt: memory.createdAt,
      lastDeployment: lastDeployment(pass, seen),
      lastFailure: lastFailure(pass, seen),
      written: kept(pass),
      ingress: ingressFields(seen.ingress),
    },
    ...(seen.siblings !== undefined && { drift: drift(pass, seen) }),
  };
}

function ready(pass: BlueprintPass, seen: Seen): Why {
  const what = `Service "${pass.spec.name}" of the blueprint ${pass.spec.tag}`;
  if (seen.status === undefined) {
    const asked =
      pass.spec.deployOnCreate && pass.memory.createdAt !== undefined ? " and its deployment asked for" : "";
    const how = pass.memory.createdAt === undefined ? "taken over" : `created${asked}`;
    return { reason: "Available", message: `${what} was ${how}; the platform's surface does not show its state.` };
  }
  const phase = servicePhase(seen.status.state);
  if (phase === "running") return { reason: "Deployed", message: `${what} is deployed.` };
  const left = "and whether it is deployed is left to others";
  if (phase === "stopped") return { reason: "NotDeployed", message: `${what} is stopped on the platform, ${left}.` };
  return { reason: "NotDeployed", message: `${what} exists on the platform and is not deployed.` };
}

function deployed({ supports }: BlueprintPass, { status }: Seen): readonly ConditionFact[] {
  if (supports("listServiceStatuses") !== "Supported") {
    const message = "The platform's surface does not show the service that a blueprint became, nor its state.";
    return [{ type: "Deployed", status: "Unknown", reason: "NotObservable", message }];
  }
  return status === undefined ? [] : [stateCondition("Deployed", status.state, "service")];
}

/** Whether the platform was sent the variables as they are now; none without variables. */
function variablesCondition(pass: BlueprintPass): readonly ConditionFact[] {
  if (pass.inputs.variables.length === 0) return [];
  const type = "VariablesSynced";
  if (!sameVariables(pass)) {
    const message =
      "The variables, or values in Secrets and ConfigMaps, are not those that were sent; the platform's surface has no update of them.";
    return [{ type, status: "False", reason: "VariablesPending", message }];
  }
  if (pass.memory.createdAt === undefined) {
    const message = "The service was taken over, and the platform does not show its variables.";
    return [{ type, status: "Unknown", reason: "NotObservable", message }];
  }
  return [{ type, status: "True", reason: "VariablesSynced", message: "All variables were sent with the creation." }];
}

/** The deployment of the creation: the request that the service shows first is its own. */
function lastDeployment(pass: BlueprintPass, seen: Seen): BlueprintMemory["lastDeployment"] {
  const last = pass.memory.lastDeployment;
  const next = advanced(last, progressOf(last, seen), seen, pass.now);
  if (next === undefined || last?.finishedAt !== undefined) return next;
  const requestId = next.requestId ?? seen.status?.deploymentRequestId;
  return requestId === undefined ? next : { ...next, requestId };
}

function lastFailure({ memory, now }: BlueprintPass, seen: Seen): BlueprintMemory["lastFailure"] {
  const words = (state: string) => ({
    state,
    message: `The platform reports ${state}. Look at the service on the platform and deploy it there.`,
    ...(seen.status?.deploymentRequestId !== undefined && { requestId: seen.status.deploymentRequestId }),
  });
  return lastFailureOf(memory.lastFailure, progressOf(memory.lastDeployment, seen), words, now);
}

/** What was sent. Of a service that was taken over, the spec as it was then is the baseline. */
function kept(pass: BlueprintPass): BlueprintMemory["written"] {
  const known = pass.memory.written ?? written(pass);
  return { ...known, variables: refreshed(known.variables ?? { ...pass.inputs.fingerprint }, pass.inputs.fingerprint) };
}

function drift(pass: BlueprintPass, seen: Seen): readonly DriftField[] {
  const phase = servicePhase(seen.status?.state ?? "");
  const isEnded = pass.spec.deployOnCreate && (phase === "stopped" || phase === "gone");
  const state = isEnded ? [{ path: "state", desired: "DEPLOYED", observed: shownState(seen.status?.state ?? "") }] : [];
  return [...settingsDrifted(pass, seen), ...state];
}
