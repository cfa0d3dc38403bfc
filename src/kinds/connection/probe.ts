/** The probe of a connection: whether the platform can be used through it, and what the platform offers. */
import type { ProbeReport } from "../../engine/contract/connection.ts";
import type { ConditionFact, Surface, Uuid, Why } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError, sentenceOf } from "../../platform/transport/errors.ts";
import { offered } from "../shared/offered.ts";
import type { ConnectionMemory, ConnectionSpec } from "./crd.ts";

/** How soon the surface is probed again where the platform did not answer. */
const UNANSWERED_AGAIN_MS = 60_000;

/** Probes the platform, as `ConnectionKind.probe` describes. @throws ApiError */
export async function probe(spec: ConnectionSpec, memory: ConnectionMemory, api: Platform): Promise<ProbeReport> {
  // Every surface has this operation. It needs the address, the token and the organization.
  const projects = await projectsOf(api);
  const known = { surface: memory.surface, operations: stored(memory.operations) };
  if ("unknown" in projects) return { refusal: nowhere(spec, projects.unknown), conditions: [], status: known };
  if (spec.surface !== "Auto")
    return { conditions: [surfaceKnown(spec.surface)], status: { ...known, surface: spec.surface } };

  const { capabilities } = api;
  capabilities.restore(memory.operations ?? {});
  const undecided = await askBeyondSpecification(api, projects.ids[0]);
  const surface = capabilities.summary();
  const status = { surface: surface ?? memory.surface, operations: stored(capabilities.known()) };
  if (surface !== undefined) return { conditions: [surfaceKnown(surface)], status };
  const isUnanswered = projects.ids.length > 0 && capabilities.inconclusive("getProject") === undefined;
  return { conditions: [surfaceUnknown(undecided)], status, again: isUnanswered ? UNANSWERED_AGAIN_MS : undefined };
}

/** Returns the ids of the organization's projects. @throws ApiError for every failure but a 404 */
async function projectsOf(api: Platform): Promise<{ readonly ids: readonly Uuid[] } | { readonly unknown: string }> {
  try {
    return { ids: (await api.projects.list()).map(({ id }) => id) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.failure.is !== "NotFound") throw error;
    return { unknown: sentenceOf(error) };
  }
}

/**
 * Returns the reason of an organization that the platform does not find. It is probed again, as a gateway without a
 * route gives the same answer.
 */
function nowhere(spec: ConnectionSpec, said: string): Why {
  const message =
    `The platform does not find organization ${spec.organizationId} (404): ${said} Check spec.pathPrefix ` +
    "and spec.organizationId; for another organization make another connection.";
  return { reason: "InvalidSpec", message };
}

/**
 * Makes one harmless read beyond the specification. It shows that operation alone; the others are learned when they are
 * needed.
 * @returns the message to report while nothing is known
 */
async function askBeyondSpecification(api: Platform, projectId: Uuid | undefined): Promise<string> {
  if (projectId === undefined) return "The organization has no project yet that the platform could be asked about.";
  const isListed = async () => (await api.projects.list()).some(({ id }) => id === projectId);
  try {
    await offered(api, "getProject", () => api.projects.get(projectId), isListed);
  } catch (error) {
    // The list of projects reports failures; this read does not.
    if (!(error instanceof ApiError)) throw error;
  }
  const status = api.capabilities.inconclusive("getProject") ?? 0;
  const how = status === 0 ? "The platform did not answer getProject" : `The platform answered ${status} to getProject`;
  return `${how}, so it is not known whether it offers that operation. The operator tries again at growing intervals.`;
}

function surfaceKnown(surface: Surface): ConditionFact {
  return { type: "SurfaceKnown", status: "True", reason: "SurfaceKnown", message: SURFACES[surface] };
}

function surfaceUnknown(message: string): ConditionFact {
  return { type: "SurfaceKnown", status: "Unknown", reason: "SurfaceUndecided", message };
}

const SURFACES: Readonly<Record<Surface, string>> = {
  Documented: "The platform offers the operations of its specification, and none beyond it that was tried.",
  Partial:
    "The platform offers some operations beyond its specification, and others not: status.operations lists them.",
  Full: "The platform offers every operation beyond its specification that was tried.",
};

type Operations = NonNullable<ConnectionMemory["operations"]>;

/** Returns the operations as the status stores them; undefined while nothing was learned. */
function stored(known: { readonly [List in keyof Operations]: readonly string[] | undefined } | undefined) {
  return known && { supported: [...(known.supported ?? [])], unsupported: [...(known.unsupported ?? [])] };
}
