/** What a pass of the model finds around it: one connection, which works, and a platform that asks the model. */
import type { Connection } from "../../../src/engine/connections/connections.ts";
import { createMassChangeLimit } from "../../../src/engine/connections/connections.ts";
import type { Clock, Json } from "../../../src/kube/api/types.ts";
import type { Op, Remote, WidgetApi } from "../engine/fake-platform.ts";
import { supportsOn } from "../kinds/supports.ts";
import { TEAM } from "../kube/api-server.ts";
import type { Command } from "./exchange.ts";

export const LINK = { kind: "Link", namespace: TEAM, name: "default" };

export const NO_CONNECTIONS = {
  open: () => Promise.reject(new TypeError("nothing is opened")),
  refresh: () => Promise.resolve(),
  all: () => [],
  suspect: () => {},
  waitFor: () => {},
  recovered: () => {},
  forget: () => {},
  closeAll: () => Promise.resolve(),
};

export function connectionTo(
  surface: "Documented" | "Full",
  clock: Clock,
  ask: (command: Command) => Promise<Json>,
): Connection<WidgetApi> {
  return {
    key: LINK,
    uid: "uid-link",
    generation: 1,
    settings: {
      baseUrl: "https://platform.example",
      pathPrefix: "",
      organizationId: "org-1",
      scheme: "Token",
      tokenSecret: { name: "token", key: "token" },
      requestsPerSecond: undefined,
      burst: undefined,
      surface,
      receiver: undefined,
      allowUnverifiedIds: false,
      allowedProjects: undefined,
      defaults: { lifecycle: {}, pollInterval: undefined },
      allowedNamespaces: undefined,
    },
    host: "platform.example",
    api: apiOver(surface, ask),
    brake: createMassChangeLimit(clock),
    token: () => "token-1",
    trouble: undefined,
    surface,
    probedAt: 0,
    barredAt: undefined,
    nextProbeAt: 0,
    failingSince: undefined,
    failures: 0,
    waiting: new Set(),
    denied: new Set(),
    receiver: undefined,
    users: new Set(),
  };
}

function apiOver(surface: "Documented" | "Full", ask: (command: Command) => Promise<Json>): WidgetApi {
  const call = async (op: Op, id = "", made: Partial<Remote> = {}): Promise<unknown> =>
    await ask({ to: "platform", op, id, made });
  const remote = async (op: Op, id: string, made?: Partial<Remote>): Promise<Remote> =>
    (await call(op, id, made)) as Remote;
  return {
    reserve: () => Promise.resolve(),
    capabilities: {
      supports: supportsOn(surface),
      learned: supportsOn(surface),
      missing: () => {},
      summary: () => surface,
    },
    limited: () => undefined,
    refresh: () => {},
    close: () => Promise.resolve(),
    list: async () => (await call("list")) as readonly Remote[],
    get: async (id) => ((await call("get", id)) ?? undefined) as Remote | undefined,
    ping: () => Promise.resolve(undefined),
    create: (name, _parentId, note) => remote("create", "", { name, note }),
    update: (id, note) => remote("update", id, { note }),
    import: (id) => remote("import", id),
    deploy: (id, commit) => remote("deploy", id, { commit }),
    stop: (id) => remote("stop", id),
    delete: async (id) => {
      await call("delete", id);
    },
  };
}
