import { z } from "zod";

import { defineResource } from "../../../src/api/resource.ts";
import { digestField, observingStatus } from "../../../src/api/status.ts";
import type { ConnectionKind, ReceiverRegistration } from "../../../src/engine/contract/connection.ts";
import { type ConnectionSettings, sameContent, type Step, type Uuid } from "../../../src/engine/contract/kind.ts";
import type { WidgetApi } from "./fake-platform.ts";

const linkSpec = z.object({
  baseUrl: z.string().default("https://platform.example"),
  organizationId: z.string().default("org-1"),
  surface: z.enum(["Auto", "Documented", "Full"]).default("Auto"),
  allowUnverifiedIds: z.boolean().default(false),
  /** The URL of the receiver; its Secret is "receiver" with the key "token". */
  receiver: z.string().optional(),
  allowedNamespaces: z.array(z.string()).optional(),
  defaults: z.object({ lifecycle: z.record(z.string(), z.unknown()).default({}) }).prefault({}),
});

type LinkSpec = z.output<typeof linkSpec>;

const resourceOf = (kind: string, scope: "Namespaced" | "Cluster") =>
  defineResource({
    kind,
    scope,
    shortNames: [],
    description: "A pretended connection.",
    spec: linkSpec,
    memory: {
      surface: z.object({ name: z.string(), foundAt: z.string() }),
      hook: z.string(),
      registered: digestField("the registration"),
    },
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
    receiver: hookRegistration(resource),
  };
}

/** Registers the receiver of a connection as a remote called "hook", and updates its note once the URL differs. */
function hookRegistration(resource: LinkResource): ReceiverRegistration<LinkTypes> {
  const idOf = (pass: { readonly id: Uuid | undefined; readonly memory: LinkTypes["memory"] }): Uuid | undefined =>
    pass.memory.hook ?? pass.id;
  const update: Step = { repeat: "safe", op: "updateHook", action: "update" };
  const create = (url: string): Step => {
    const why = { reason: "Creating", message: `Registering at ${url}.` } as const;
    return { repeat: "once", op: "createHook", action: "create", creates: true, mark: null, name: "hook", why };
  };
  const kind: ReceiverRegistration<LinkTypes>["kind"] = {
    resource,
    externalLifecycle: false,
    needs: () => {
      throw new TypeError("its inputs come from the engine");
    },
    observe: () => Promise.resolve("nothing sent"),
    plan: (pass, observed) => {
      const { answer, url, registered } = pass.inputs;
      if (observed === "sent") return { is: "settled" };
      if (idOf(pass) === undefined || answer === `recreate:${idOf(pass)}`) return { is: "step", step: create(url) };
      return sameContent(registered, pass.memory.registered) ? { is: "settled" } : { is: "step", step: update };
    },
    act: async ({ action }, pass, _observed, api) => {
      const { url, registered } = pass.inputs;
      const isNew = action === "create";
      const { id } = await (isNew ? api.create("hook", undefined, url) : api.update(idOf(pass) ?? "", url));
      return { observed: "sent", memory: { ...pass.memory, hook: id, registered }, id };
    },
    trace: () =>
      Promise.resolve({ is: "unknowable", why: { reason: "CreateResultUnknown", message: "Nobody can tell." } }),
    report: (pass) => ({
      ready: { reason: "Available", message: `Registered at ${pass.inputs.url}.` },
      conditions: [],
      status: { hook: idOf(pass), registered: pass.memory.registered },
    }),
  };
  return { condition: "HookRegistered", kind };
}

function settingsOf({ receiver, allowedNamespaces, defaults, ...spec }: LinkSpec): ConnectionSettings {
  return {
    ...spec,
    pathPrefix: "",
    scheme: "Token",
    tokenSecret: { name: "token", key: "token" },
    requestsPerSecond: undefined,
    burst: undefined,
    receiver: receiver === undefined ? undefined : { url: receiver, secret: { name: "receiver", key: "token" } },
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
