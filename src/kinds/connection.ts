/** The two kinds of connections: observed, never acted upon. */
import type { ConnectionSettings, Surface, Uuid, Why } from "../engine/kind.ts";
import { ApiError, sentenceOf } from "../platform/errors.ts";
import type { Platform } from "../platform/index.ts";
import {
  clusterPlatformConnection,
  platformConnection,
  type ClusterConnectionSpec,
  type ConnectionMemory,
  type ConnectionSpec,
} from "../resources/connection.ts";
import type { PlatformKind } from "./kind.ts";
import { registration } from "./webhook/registration.ts";

interface Seen {
  /** undefined while there is no project to find it out with. */
  readonly surface: Surface | undefined;
  /** In the platform's words, that it does not know the organization, or nothing under this address. */
  readonly unknown?: string;
}

/** While the surface is unknown there may soon be a project to find it out with. */
const SURFACE_AGAIN_MS = 15_000;

type ConnectionKind<Spec> = PlatformKind<Spec, object, Seen, ConnectionMemory, never>;

function connectionKind<Spec extends ConnectionSpec>(
  resource: ConnectionKind<Spec>["resource"],
  allowedNamespaces: (spec: Spec) => ConnectionSettings["allowedNamespaces"],
): ConnectionKind<Spec> {
  return {
    resource,
    lives: false,
    connection: (spec) => settings(spec, resource.scope, allowedNamespaces(spec)),
    errand: { condition: "WebhookRegistered", kind: registration(resource) },
    claim: () => undefined,
    listable: () => false,
    needs: () => ({ references: [], values: [], inputs: () => ({}) }),
    observe: async ({ spec }, api) => {
      // The probe of address, token and organization; documented on every surface.
      const projects = await projectsOf(api);
      if ("unknown" in projects) return { surface: undefined, ...projects };
      return { surface: spec.surface === "Auto" ? await probeSurface(api, projects.ids[0]) : spec.surface };
    },
    plan: ({ spec }, { surface, unknown }) => {
      if (unknown !== undefined) return { is: "stalled", why: nowhere(spec, unknown), again: SURFACE_AGAIN_MS };
      return surface === undefined ? { is: "settled", again: SURFACE_AGAIN_MS } : { is: "settled" };
    },
    act: () => Promise.reject(new TypeError("a connection has no steps")),
    trace: () => Promise.resolve({ is: "absent" }),
    report: ({ memory }, seen) => {
      const surface = seen.surface ?? memory.surface;
      return {
        ready: { reason: "Available", message: "The platform is reachable and accepts the token." },
        conditions: [],
        status: { surface },
      };
    },
  };
}

/** The ids of the organization's projects. @throws ApiError for every other failure than a 404 */
async function projectsOf(api: Platform): Promise<{ readonly ids: readonly Uuid[] } | { readonly unknown: string }> {
  try {
    return { ids: (await api.projects.list()).map(({ id }) => id) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.failure.is !== "NotFound") throw error;
    return { unknown: sentenceOf(error) };
  }
}

/** Not the end of anything: a gateway without a route says the same, so it is looked at again. */
function nowhere(spec: ConnectionSpec, said: string): Why {
  const message =
    `The platform does not find organization ${spec.organizationId} (404): ${said} Check spec.pathPrefix ` +
    "and spec.organizationId; for another organization make another connection.";
  return { reason: "InvalidSpec", message };
}

/**
 * One read that only a platform with the full surface offers (design §4).
 * @returns undefined when there is nothing to read, or the answer leaves it open
 */
async function probeSurface(api: Platform, projectId: string | undefined): Promise<Surface | undefined> {
  if (projectId === undefined) return undefined;
  try {
    await api.projects.get(projectId);
    return "Full";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.failure.is === "NotSupported") return "Documented";
    // It may have gone in between; what is still listed, but not found, the platform does not offer.
    const isListed = async () => (await api.projects.list()).some(({ id }) => id === projectId);
    return error.failure.is === "NotFound" && (await isListed()) ? "Documented" : undefined;
  }
}

function settings(
  spec: ConnectionSpec,
  scope: ConnectionKind<ConnectionSpec>["resource"]["scope"],
  allowedNamespaces: ConnectionSettings["allowedNamespaces"],
): ConnectionSettings {
  return {
    baseUrl: spec.baseUrl,
    pathPrefix: spec.pathPrefix,
    organizationId: spec.organizationId,
    scheme: spec.auth.scheme,
    tokenSecret: spec.auth.tokenSecretRef,
    requestsPerSecond: spec.rateLimit?.requestsPerSecond,
    burst: spec.rateLimit?.burst,
    surface: spec.surface,
    allowUnverifiedIds: spec.allowUnverifiedIds ?? (scope === "Namespaced" && spec.allowedProjects === undefined),
    allowedProjects: spec.allowedProjects,
    defaults: { lifecycle: spec.defaults?.lifecycle ?? {}, pollInterval: spec.defaults?.pollInterval },
    allowedNamespaces,
    receiver: spec.webhook && { url: spec.webhook.receiverUrl, secret: spec.webhook.secretRef },
  };
}

export const connection = connectionKind<ConnectionSpec>(platformConnection, () => undefined);

export const clusterConnection = connectionKind<ClusterConnectionSpec>(
  clusterPlatformConnection,
  ({ allowedNamespaces: allowed }) =>
    allowed && { names: allowed.names ?? [], matchLabels: allowed.selector?.matchLabels },
);
