/** The probe of a connection: whether the platform can be used through it, and what the platform offers. */
import type { ProbeReport } from "../../engine/contract/connection.ts";
import type { Uuid, StatusReason } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError, sentenceOf } from "../../platform/transport/errors.ts";
import type { ConnectionSpec } from "./crd.ts";

/** How soon the surface is probed again where the platform did not answer. In milliseconds. */
const UNANSWERED_AGAIN_MS = 60_000;

/** Probes the platform, as `ConnectionKind.probe` describes. @throws ApiError */
export async function probe(spec: ConnectionSpec, api: Platform): Promise<ProbeReport> {
  // Every surface has this operation. It needs the address, the token and the organization.
  const projects = await projectsOf(api);
  if ("unknown" in projects) return { refusal: nowhere(spec, projects.unknown) };
  if ("works" in projects) return { refusal: otherScheme(spec, projects.works) };
  return spec.surface === "Auto" ? await probeSurface(api, projects.ids[0]) : { surface: spec.surface };
}

type Projects =
  | { readonly ids: readonly Uuid[] }
  /** The platform does not find the organization. */
  | { readonly unknown: string }
  /** The platform rejects the token, and accepts it with this scheme. */
  | { readonly works: "Token" | "Bearer" };

/** Returns the ids of the organization's projects. @throws ApiError for every other failure */
async function projectsOf(api: Platform): Promise<Projects> {
  try {
    return { ids: (await api.projects.list()).map(({ id }) => id) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.failure.is === "NotFound") return { unknown: sentenceOf(error) };
    if (error.failure.is !== "Unauthorized" || error.status === 0) throw error;
    const works = await api.otherScheme().catch(() => undefined);
    if (works === undefined) throw error;
    return { works };
  }
}

/** Returns the reason of a token that the platform accepts with the other scheme only. */
function otherScheme({ auth }: ConnectionSpec, works: "Token" | "Bearer"): StatusReason {
  const message = `The platform rejects the token with the scheme ${auth.scheme} (401), and accepts it with the scheme ${works}. Set spec.auth.scheme: ${works}.`;
  return { reason: "CredentialsInvalid", message };
}

/**
 * Returns the reason of an organization that the platform does not find. It is probed again, as a gateway without a
 * route gives the same answer.
 */
function nowhere(spec: ConnectionSpec, said: string): StatusReason {
  const message =
    `The platform does not find organization ${spec.organizationId} (404): ${said} Check spec.pathPrefix ` +
    "and spec.organizationId; for another organization make another connection.";
  return { reason: "InvalidSpec", message };
}

/**
 * Finds out what the platform offers, by one read beyond the specification of a project that a list has just shown. A
 * 2xx decides Full; a 404, 405 or 501 in JSON decides Documented; every other answer decides nothing
 * (docs/project/architecture.md §9).
 */
async function probeSurface(api: Platform, projectId: Uuid | undefined): Promise<ProbeReport> {
  if (projectId === undefined) {
    const undecided = "the organization has no project that the platform could be asked about";
    return { undecided, lacksProject: true };
  }
  try {
    await api.projects.get(projectId);
    return { surface: "Full" };
  } catch (error) {
    // The list of projects reports failures; this read does not.
    if (!(error instanceof ApiError)) throw error;
    const { failure, status } = error;
    if (failure.is === "NotFound" || failure.is === "NotSupported") return { surface: "Documented" };
    return status === 0
      ? { undecided: "it did not answer getProject", again: UNANSWERED_AGAIN_MS }
      : { undecided: `it answered ${String(status)} to getProject` };
  }
}
