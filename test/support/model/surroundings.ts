/** The platform of a reconcile in the model: its calls become commands. */
import type { Json } from "../../../src/kube/api/types.ts";
import type { Op, Remote, WidgetApi } from "../engine/fake-platform.ts";
import { supportsOn } from "../kinds/supports.ts";
import type { Command } from "./exchange.ts";

export function apiOver(surface: "Documented" | "Full", ask: (command: Command) => Promise<Json>): WidgetApi {
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
