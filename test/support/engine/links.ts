import { z } from "zod";

import type { Resource } from "../../../src/api/resource.ts";
import { memorySchema, observingStatus } from "../../../src/api/status.ts";
import type { ConnectionSettings, Kind, ReceiverRegistration, Uuid, Why } from "../../../src/engine/contract/kind.ts";
import type { Remote, WidgetApi } from "./fake-platform.ts";

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

const linkMemory = memorySchema({ surface: z.enum(["Documented", "Full"]), hook: z.string() });

type LinkSpec = z.output<typeof linkSpec>;
type LinkMemory = z.output<typeof linkMemory>;
interface LinkTypes {
  readonly spec: LinkSpec;
  readonly memory: LinkMemory;
  readonly api: WidgetApi;
}
type LinkKind = Kind<LinkTypes & { inputs: object; observed: "Documented" | "Full" | undefined; action: never }>;

/** The two kinds of connections; their Secret is "token" with the key "token". */
function linkKind(kind: string): LinkKind {
  const itself = resource(kind, linkSpec, linkMemory, observingStatus({}));
  return {
    resource: itself,
    externalLifecycle: false,
    connection: settingsOf,
    receiverRegistration: hookRegistration(itself),
    needs: () => ({ references: [], values: [], inputs: () => ({}) }),
    observe: (_pass, api) => api.ping(),
    plan: () => ({ is: "settled" }),
    act: () => Promise.reject(new TypeError("a connection has no steps")),
    trace: () => Promise.resolve({ is: "absent" }),
    report: (_pass, surface) => ({ ready: READY, conditions: [], status: { surface } }),
  };
}

interface Hook {
  readonly remote: Remote | undefined;
  readonly sent: boolean;
}

/**
 * Registers the receiver of a connection as a remote called "hook": finds it by the recorded id, registers it if there
 * is none, and updates its note if the URL differs.
 */
function hookRegistration(itself: Resource<LinkSpec, LinkMemory>): ReceiverRegistration<LinkTypes> {
  const idOf = (pass: { readonly id: Uuid | undefined; readonly memory: LinkMemory }): Uuid | undefined =>
    pass.memory.hook ?? pass.id;
  const receiverRegistration: ReceiverRegistration<LinkTypes>["kind"] = {
    resource: itself,
    externalLifecycle: false,
    needs: () => {
      throw new TypeError("its inputs come from the engine");
    },
    observe: async (pass, api): Promise<Hook> => {
      const id = idOf(pass);
      return { remote: id === undefined ? undefined : await api.get(id), sent: false };
    },
    plan: (pass, observed: Hook) => {
      if (idOf(pass) === undefined || (pass.inputs.anew && !observed.sent)) {
        const why = { reason: "Creating" as const, message: `Registering at ${pass.inputs.url}.` };
        return {
          is: "step",
          step: { repeat: "once", op: "createHook", action: "create", creates: true, mark: null, name: "hook", why },
        };
      }
      if (observed.remote === undefined || observed.sent || observed.remote.note === pass.inputs.url)
        return { is: "settled" };
      return { is: "step", step: { repeat: "safe", op: "updateHook", action: "update" } };
    },
    act: async ({ action: what }, pass, observed: Hook, api) => {
      const { url } = pass.inputs;
      const old = observed.remote;
      const remote =
        what === "create" || old === undefined
          ? await api.create("hook", undefined, url)
          : await api.update(old.id, url);
      return { observed: { remote, sent: true }, memory: { ...pass.memory, hook: remote.id }, id: remote.id };
    },
    trace: () =>
      Promise.resolve({ is: "unknowable", why: { reason: "CreateResultUnknown", message: "Nobody can tell." } }),
    report: (pass) => ({
      ready: { reason: "Available", message: `Registered at ${pass.inputs.url}.` },
      conditions: [],
      status: { hook: idOf(pass) },
    }),
  };
  return { condition: "HookRegistered", kind: receiverRegistration };
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
