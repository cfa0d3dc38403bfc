import type { RatedApi } from "../../../src/engine/contract/kind.ts";
import { ApiError, type ApiFailure } from "../../../src/platform/transport/errors.ts";
import { supportsOn } from "../kinds/supports.ts";

/** An object of the fake platform. */
export interface Remote {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | undefined;
  readonly note: string;
  readonly state: string;
  readonly deploys: number;
  readonly commit: string | undefined;
}

export type Op = "list" | "get" | "ping" | "create" | "update" | "import" | "deploy" | "stop" | "delete";

export interface Call {
  readonly op: Op;
  readonly id: string | undefined;
}

/** Hooks that run before and after the platform executes a call; each may throw, or hang forever. */
export interface CallHooks {
  before(call: Call): Promise<void>;
  after(call: Call): Promise<void>;
}

export interface WidgetApi extends RatedApi {
  list(): Promise<readonly Remote[]>;
  get(id: string): Promise<Remote | undefined>;
  /** The platform's surface; undefined if unknown. */
  ping(): Promise<"Documented" | "Full" | undefined>;
  create(name: string, parentId: string | undefined, note: string): Promise<Remote>;
  update(id: string, note: string): Promise<Remote>;
  import(id: string): Promise<Remote>;
  deploy(id: string, commit: string): Promise<Remote>;
  stop(id: string): Promise<Remote>;
  delete(id: string): Promise<void>;
}

/** The fake platform behind all connections of an environment. */
export interface World {
  readonly remotes: Map<string, Remote>;
  /** All calls that were sent, oldest first, and those of them that took effect. */
  readonly calls: Call[];
  readonly effects: Call[];
  surface: "Documented" | "Full" | undefined;
  /** The state after a deployment, which takes no time. */
  deployed: string;
  hooks: CallHooks;
  /** Takes the rate token of a write. */
  reserve: () => Promise<void>;
  limited: ReturnType<RatedApi["limited"]>;
  /** The token of each call, and how many clients were closed. */
  readonly tokens: string[];
  closed: number;
  count(op: Op): number;
  change(id: string, change: Partial<Remote>): Remote;
  add(name: string, more?: Partial<Remote>): Remote;
  api(token: () => string, surface?: "Auto" | "Documented" | "Full"): WidgetApi;
  /** Executes a call at once. */
  effect(op: Op, id: string, made: Partial<Remote>): Remote;
}

const MUTATING: ReadonlySet<Op> = new Set(["create", "update", "import", "deploy", "stop", "delete"]);

/** A UUID that is easy to read. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

export function apiError(op: string, failure: ApiFailure, status: number, message = "said the platform"): ApiError {
  return new ApiError(op, failure, status, message);
}

export function makeHarness(): World {
  let ids = 0;

  const sent = async <T>(token: () => string, op: Op, id: string | undefined, execute: () => T): Promise<T> => {
    world.tokens.push(token());
    const call = { op, id };
    world.calls.push(call);
    await world.hooks.before(call);
    const answer = execute();
    await world.hooks.after(call);
    return answer;
  };
  const mutate = (token: () => string, op: Op, id: string | undefined, made: Partial<Remote>): Promise<Remote> =>
    sent(token, op, id, () => world.effect(op, id ?? "", made));

  /** The answer of the last ping. */
  let asked: "Documented" | "Full" | undefined;
  const known = (surface: "Auto" | "Documented" | "Full") => (surface === "Auto" ? asked : surface);

  const world: World = {
    remotes: new Map(),
    calls: [],
    effects: [],
    surface: "Full",
    deployed: "DEPLOYED",
    hooks: { before: () => Promise.resolve(), after: () => Promise.resolve() },
    reserve: () => Promise.resolve(),
    limited: undefined,
    tokens: [],
    closed: 0,
    count: (op) => world.effects.filter((call) => call.op === op).length,
    change: (id, change) => {
      const remote = world.remotes.get(id);
      if (remote === undefined) throw apiError("change", { is: "NotFound" }, 404);
      const changed = { ...remote, ...change };
      world.remotes.set(id, changed);
      return changed;
    },
    add: (name, more = {}) => {
      ids += 1;
      const fresh = {
        id: uuid(ids),
        name,
        parentId: undefined,
        note: "",
        state: "READY",
        deploys: 0,
        commit: undefined,
      };
      const remote = { ...fresh, ...more };
      world.remotes.set(remote.id, remote);
      return remote;
    },
    effect: (op, id, made) => {
      if (MUTATING.has(op)) world.effects.push({ op, id });
      if (op === "create") return world.add(made.name ?? "", made);
      const before = world.change(id, {});
      if (op === "deploy") {
        return world.change(id, { commit: made.commit, deploys: before.deploys + 1, state: world.deployed });
      }
      if (op === "stop") return world.change(id, { state: "STOPPED" });
      if (op === "delete") world.remotes.delete(id);
      return op === "update" ? world.change(id, made) : before;
    },
    api: (token, surface = "Auto") => ({
      capabilities: {
        supports: (op) => supportsOn(known(surface) ?? "Documented")(op),
        learned: (op) => supportsOn(known(surface) ?? "Documented")(op),
        missing: () => {},
        summary: () => known(surface),
      },
      reserve: () => world.reserve(),
      refresh: () => {},
      limited: () => world.limited,
      close: () => {
        world.closed += 1;
        return Promise.resolve();
      },
      list: () => sent(token, "list", undefined, () => [...world.remotes.values()]),
      get: (id) => sent(token, "get", id, () => world.remotes.get(id)),
      ping: () =>
        sent(token, "ping", undefined, () => {
          asked = world.surface;
          return asked;
        }),
      create: (name, parentId, note) => mutate(token, "create", undefined, { name, parentId, note }),
      update: (id, note) => mutate(token, "update", id, { note }),
      import: (id) => mutate(token, "import", id, {}),
      deploy: (id, commit) => mutate(token, "deploy", id, { commit }),
      stop: (id) => mutate(token, "stop", id, {}),
      delete: async (id) => {
        await mutate(token, "delete", id, {});
      },
    }),
  };
  return world;
}
