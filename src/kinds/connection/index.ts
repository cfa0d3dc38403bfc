/** The two kinds of connections: observed, never acted upon. */
import type { Resource } from "../../api/resource.ts";
import type { ConditionFact, Kind, Surface, Uuid, Why } from "../../engine/contract/kind.ts";
import type { KnownOperations } from "../../platform/client/capabilities.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError, sentenceOf } from "../../platform/transport/errors.ts";
import { offered } from "../shared/offered.ts";
import type { TypesOf } from "../shared/types.ts";
import { clusterPlatformConnection, platformConnection, type ConnectionMemory, type ConnectionSpec } from "./crd.ts";
import { registration } from "./registration.ts";
import { connectionSettings } from "./settings.ts";

interface Observed {
  /** undefined while nothing is known of the operations beyond the specification. */
  readonly surface: Surface | undefined;
  /** Why nothing is known of them. */
  readonly undecided?: string;
  /** The platform did not answer the request that would show it. */
  readonly isUnanswered?: boolean;
  /** The operations that are known, unless the user declares the surface. */
  readonly operations?: KnownOperations;
  /** The platform's message that it does not find the organization, or that the address does not exist. */
  readonly unknown?: string;
}

/** How soon an organization that the platform does not find is probed again. */
const NOWHERE_AGAIN_MS = 15_000;
/** How soon the surface is probed again where the platform did not answer. */
const UNANSWERED_AGAIN_MS = 60_000;

export type ConnectionTypes = TypesOf<
  Resource<ConnectionSpec, ConnectionMemory>,
  { observed: Observed; action: never }
>;

function connectionKind(resource: Kind<ConnectionTypes>["resource"]): Kind<ConnectionTypes> {
  return {
    resource,
    externalLifecycle: false,
    connection: (spec) => connectionSettings(spec, resource.scope),
    receiverRegistration: { condition: "WebhookRegistered", kind: registration(resource) },
    needs: () => ({ references: [], values: [], inputs: () => ({}) }),
    observe: async ({ spec, memory }, api) => {
      // Probes address, token and organization with an operation that every surface has.
      const projects = await projectsOf(api);
      if ("unknown" in projects) return { surface: undefined, ...projects };
      if (spec.surface !== "Auto") return { surface: spec.surface };
      api.capabilities.restore(memory.operations ?? {});
      const undecided = await ask(api, projects.ids[0]);
      const surface = api.capabilities.summary();
      const isUnanswered = projects.ids.length > 0 && api.capabilities.inconclusive("getProject") === undefined;
      const open = surface === undefined && { undecided, isUnanswered };
      return { surface, operations: api.capabilities.known(), ...open };
    },
    plan: ({ spec }, { unknown, isUnanswered }) => {
      if (unknown !== undefined) return { is: "stalled", why: nowhere(spec, unknown), again: NOWHERE_AGAIN_MS };
      return { is: "settled", ...(isUnanswered === true && { again: UNANSWERED_AGAIN_MS }) };
    },
    act: () => Promise.reject(new TypeError("a connection has no steps")),
    trace: () => Promise.resolve({ is: "absent" }),
    report: ({ memory }, observed) => {
      const operations = observed.operations ?? memory.operations;
      return {
        ready: { reason: "Available", message: "The platform is reachable and accepts the token." },
        conditions: surfaceKnown(observed),
        status: {
          surface: observed.surface ?? memory.surface,
          operations: operations && {
            supported: [...(operations.supported ?? [])],
            unsupported: [...(operations.unsupported ?? [])],
          },
        },
      };
    },
  };
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
async function ask(api: Platform, projectId: string | undefined): Promise<string> {
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

/** Returns the condition SurfaceKnown: Unknown while nothing is known, True afterwards. */
function surfaceKnown({ surface, undecided }: Observed): readonly ConditionFact[] {
  if (undecided !== undefined) {
    return [{ type: "SurfaceKnown", status: "Unknown", reason: "SurfaceUndecided", message: undecided }];
  }
  return surface === undefined
    ? []
    : [{ type: "SurfaceKnown", status: "True", reason: "SurfaceKnown", message: SURFACES[surface] }];
}

const SURFACES: Readonly<Record<Surface, string>> = {
  Documented: "The platform offers the operations of its specification, and none beyond it that was tried.",
  Partial:
    "The platform offers some operations beyond its specification, and others not: status.operations lists them.",
  Full: "The platform offers every operation beyond its specification that was tried.",
};

export const connection = connectionKind(platformConnection);
export const clusterConnection = connectionKind(clusterPlatformConnection);
