import type { RatedApi } from "../../../src/engine/contract/kind.ts";
import { ApiError, type ApiFailure } from "../../../src/platform/transport/errors.ts";
import type { Hooks } from "../kube/api-server.ts";

export interface Remote {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | undefined;
  readonly note: string;
  readonly state: string;
  readonly deploys: number;
  readonly commit: string | undefined;
}

export type Op = "list" | "get" | "ping" | "create" | "update" | "deploy" | "stop" | "delete";

export interface Call {
  readonly op: Op;
  readonly id: string | undefined;
}

type Surface = "Documented" | "Full";

export type WidgetApi = ReturnType<typeof apiOver>;

const READS: ReadonlySet<Op> = new Set(["list", "get", "ping"]);

export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

export function apiError(op: string, failure: ApiFailure, status: number, message = "said the platform"): ApiError {
  return new ApiError(op, failure, status, message);
}

export function newRemote(number: number, made: Partial<Remote>): Remote {
  const fresh = { parentId: undefined, note: "", state: "READY", deploys: 0, commit: undefined };
  return { id: uuid(number), name: "", ...fresh, ...made };
}

/** An object after a call that changes it. @param deployed its state after a deployment */
export function changedBy(op: Op, remote: Remote, made: Partial<Remote>, deployed = "DEPLOYED"): Remote {
  if (op === "deploy") return { ...remote, commit: made.commit, deploys: remote.deploys + 1, state: deployed };
  return { ...remote, ...made, ...(op === "stop" && { state: "STOPPED" }) };
}

/** A client whose calls a function executes. */
export function apiOver(call: (op: Op, id?: string, made?: Partial<Remote>) => Promise<unknown>) {
  const remote = async (op: Op, id?: string, made?: Partial<Remote>) => (await call(op, id, made)) as Remote;
  const rated: RatedApi = {
    reserve: () => Promise.resolve(),
    refresh: () => {},
    limited: () => undefined,
    close: () => Promise.resolve(),
  };
  return {
    ...rated,
    list: async () => (await call("list")) as readonly Remote[],
    get: async (id: string) => ((await call("get", id)) ?? undefined) as Remote | undefined,
    /** The platform's surface; undefined if unknown. */
    ping: async () => (await call("ping")) as Surface | undefined,
    create: (name: string, parentId: string | undefined, note: string) =>
      remote("create", undefined, { name, parentId, note }),
    update: (id: string, note: string) => remote("update", id, { note }),
    deploy: (id: string, commit: string) => remote("deploy", id, { commit }),
    stop: (id: string) => remote("stop", id),
    delete: async (id: string): Promise<void> => {
      await call("delete", id);
    },
  };
}

export function makeHarness() {
  let ids = 0;
  const remotes = new Map<string, Remote>();
  const calls: Call[] = [];
  const effects: Call[] = [];
  const hooks: Hooks<Call> = { before: () => Promise.resolve(), after: () => Promise.resolve() };
  const own = {
    surface: "Full" as Surface | undefined,
    /** The state after a deployment, which takes no time. */
    deployed: "DEPLOYED",
    hooks,
    /** Takes the rate token of a write. */
    reserve: () => Promise.resolve(),
    limited: undefined as ReturnType<RatedApi["limited"]>,
    closed: 0,
    effect: (op: Op, id: string, made: Partial<Remote>): Remote => {
      effects.push({ op, id });
      if (op === "create") return add(made.name ?? "", made);
      const before = change(id, {});
      if (op !== "delete") return change(id, changedBy(op, before, made, own.deployed));
      remotes.delete(id);
      return before;
    },
  };

  const read = (op: Op, id: string | undefined): unknown => {
    if (op === "list") return [...remotes.values()];
    if (op === "get") return remotes.get(id ?? "");
    return own.surface;
  };
  const change = (id: string, made: Partial<Remote>): Remote => {
    const remote = remotes.get(id);
    if (remote === undefined) throw apiError("change", { is: "NotFound" }, 404);
    const changed = { ...remote, ...made };
    remotes.set(id, changed);
    return changed;
  };
  const add = (name: string, more: Partial<Remote> = {}): Remote => {
    ids += 1;
    const remote = newRemote(ids, { name, ...more });
    remotes.set(remote.id, remote);
    return remote;
  };
  return Object.assign(own, {
    remotes,
    /** All calls that were sent, oldest first, and those of them that took effect. */
    calls,
    effects,
    count: (op: Op): number => effects.filter((call) => call.op === op).length,
    change,
    add,
    api: (): WidgetApi => ({
      ...apiOver(async (op, id, made = {}) => {
        const call = { op, id };
        calls.push(call);
        await own.hooks.before(call);
        const answer = READS.has(op) ? read(op, id) : own.effect(op, id ?? "", made);
        await own.hooks.after(call);
        return answer;
      }),
      reserve: () => own.reserve(),
      limited: () => own.limited,
      close: () => {
        own.closed += 1;
        return Promise.resolve();
      },
    }),
  });
}
