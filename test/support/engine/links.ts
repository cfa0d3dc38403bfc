import { z } from "zod";

import { defineResource } from "../../../src/api/resource.ts";
import { observingStatus } from "../../../src/api/status.ts";
import type { ConnectionKind, ConnectionSettings } from "../../../src/engine/contract/connection.ts";
import type { WidgetApi } from "./fake-platform.ts";

const linkSpec = z.object({
  baseUrl: z.string().default("https://platform.example"),
  organizationId: z.string().default("org-1"),
  surface: z.enum(["Auto", "Documented", "Full"]).default("Auto"),
  allowUnverifiedIds: z.boolean().default(false),
  allowedNamespaces: z.array(z.string()).optional(),
  defaults: z.object({ lifecycle: z.record(z.string(), z.unknown()).default({}) }).prefault({}),
});

type LinkSpec = z.output<typeof linkSpec>;

const resourceOf = (kind: string, scope: "Namespaced" | "Cluster") =>
  defineResource({
    kind,
    scope,
    lifecycle: "None",
    shortNames: [],
    description: "A pretended connection.",
    spec: linkSpec,
    memory: { surface: z.object({ name: z.string(), foundAt: z.string() }) },
    recorded: {},
    status: observingStatus({}),
    columns: [],
  });

type LinkResource = ReturnType<typeof resourceOf>;

interface LinkTypes {
  readonly spec: LinkSpec;
  readonly memory: z.output<LinkResource["memory"]>;
  readonly api: WidgetApi;
}
/** A kind of connections; their Secret is "token" with the key "token". */
function linkKind(resource: LinkResource): ConnectionKind<LinkTypes> {
  return {
    resource,
    settings: settingsOf,
    probe: async ({ surface }, api) => {
      const shown = await api.ping();
      return { surface: surface === "Auto" ? shown : surface };
    },
  };
}

function settingsOf({ allowedNamespaces, defaults, ...spec }: LinkSpec): ConnectionSettings {
  return {
    ...spec,
    pathPrefix: "",
    scheme: "Token",
    tokenSecret: { name: "token", key: "token" },
    requestsPerSecond: undefined,
    burst: undefined,
    allowedProjects: undefined,
    defaults: { ...defaults, pollInterval: undefined },
    allowedNamespaces: allowedNamespaces && { names: allowedNamespaces, matchLabels: undefined, limited: [] },
  };
}

/** The settings of a connection that a user creates without any, on this surface. */
export function usualSettings(surface: "Documented" | "Full"): ConnectionSettings {
  return settingsOf(linkSpec.parse({ surface }));
}

export const link = linkKind(resourceOf("Link", "Namespaced"));
export const clusterLink = linkKind(resourceOf("ClusterLink", "Cluster"));
