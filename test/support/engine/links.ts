import { z } from "zod";

import type { Resource } from "../../../src/api/resource.ts";
import { memorySchema, observingStatus } from "../../../src/api/status.ts";
import type { ConnectionSettings, Kind, Why } from "../../../src/engine/contract/kind.ts";
import type { WidgetApi } from "./fake-platform.ts";
import { hookErrand, hookMemory } from "./receiver-registration.ts";

/** A resource without the parts that only the API server needs. */
export function resource<Spec, Mem>(
  kind: string,
  spec: z.ZodType<Spec>,
  memory: z.ZodType<Mem>,
  status: z.ZodObject,
): Resource<Spec, Mem> {
  return {
    kind,
    plural: `${kind.toLowerCase()}s`,
    shortNames: [],
    scope: kind.startsWith("Cluster") ? "Cluster" : "Namespaced",
    description: "A pretended kind.",
    spec,
    memory,
    status,
    rules: [],
    columns: [],
    selectableFields: [],
  };
}

const READY: Why = { reason: "Available", message: "Reachable." };

const linkSpec = z.object({
  baseUrl: z.string().default("https://platform.example"),
  organizationId: z.string().default("org-1"),
  surface: z.enum(["Auto", "Documented", "Full"]).default("Auto"),
  allowUnverifiedIds: z.boolean().default(false),
  receiver: z.string().optional(),
  allowedNamespaces: z.array(z.string()).optional(),
  defaults: z
    .object({ lifecycle: z.record(z.string(), z.unknown()).optional(), pollInterval: z.string().optional() })
    .optional(),
});

const linkMemory = memorySchema({ surface: z.enum(["Documented", "Full"]), ...hookMemory });

type LinkSpec = z.output<typeof linkSpec>;
type LinkKind = Kind<{
  spec: LinkSpec;
  inputs: object;
  observed: "Documented" | "Full" | undefined;
  memory: z.output<typeof linkMemory>;
  action: never;
  api: WidgetApi;
}>;

/** The two kinds of connections; their Secret is "token" with the key "token". */
function linkKind(kind: string): LinkKind {
  const itself = resource(kind, linkSpec, linkMemory, observingStatus({}));
  return {
    resource: itself,
    externalLifecycle: false,
    connection: settingsOf,
    receiverRegistration: hookErrand(itself),
    needs: () => ({ references: [], values: [], inputs: () => ({}) }),
    observe: (_pass, api) => api.ping(),
    plan: () => ({ is: "settled" }),
    act: () => Promise.reject(new TypeError("a connection has no steps")),
    trace: () => Promise.resolve({ is: "absent" }),
    report: (_pass, surface) => ({ ready: READY, conditions: [], status: { surface } }),
  };
}

function settingsOf(spec: LinkSpec): ConnectionSettings {
  return {
    baseUrl: spec.baseUrl,
    pathPrefix: "",
    organizationId: spec.organizationId,
    scheme: "Token",
    tokenSecret: { name: "token", key: "token" },
    requestsPerSecond: undefined,
    burst: undefined,
    surface: spec.surface,
    receiver:
      spec.receiver === undefined ? undefined : { url: spec.receiver, secret: { name: "receiver", key: "token" } },
    allowUnverifiedIds: spec.allowUnverifiedIds,
    allowedProjects: undefined,
    defaults: { lifecycle: spec.defaults?.lifecycle ?? {}, pollInterval: spec.defaults?.pollInterval },
    allowedNamespaces:
      spec.allowedNamespaces === undefined ? undefined : { names: spec.allowedNamespaces, matchLabels: undefined },
  };
}

/** The settings of a connection that a user creates without any, on this surface. */
export function usualSettings(surface: "Documented" | "Full"): ConnectionSettings {
  return settingsOf(linkSpec.parse({ surface }));
}

export const link = linkKind("Link");
export const clusterLink = linkKind("ClusterLink");
