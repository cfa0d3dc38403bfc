/** O3: nothing was deployed or stopped without a cause. */
import type { Effect } from "../../../simulator/request/journal.ts";
import { stringMember } from "../../../src/kube/api/json.ts";
import { callsOf, mayRepeatOnce, type Evidence } from "../effects.ts";

/**
 * Within how many milliseconds before a deployment was decided on a variable may have been written without it being
 * known of.
 */
const UNSEEN_MS = 500;

/** One effect of a call. */
interface Done {
  readonly operation: string;
  readonly path: string;
  readonly effect: Effect;
  readonly at: number;
}

/**
 * A deployment has a cause when its commit is another one, when a variable of that application was written since the
 * last one was decided on, when an operation asks for it, once, or when a person did who was told that nobody can know
 * what became of the last one. A stop has one the first time, and when such a person asks for it. What is repeatable
 * may come once more (`mayRepeatOnce`).
 * @param operations how many operations ask for a deployment
 * @returns a sentence about each that has none
 */
export function doubleActions(env: Evidence, operations: number): readonly string[] {
  const isAsked = anyOf(orders(env), repetitions(env));
  // Who was asked about an operation may have said that it shall be done again.
  const again = env.unknowns.filter(({ kind }) => kind === "PlatformOperation").length;
  return [...repeatedStops(env, isAsked), ...causelessDeployments(env, operations + again, isAsked)];
}

function effectsOf(env: Evidence): readonly Done[] {
  return callsOf(env).flatMap(({ operation, path, effects, at }) =>
    effects.map((effect) => ({ operation: operation ?? "", path, effect, at: Date.parse(at) })),
  );
}

/** Whether an action on the service of that id has a cause. Each cause is that of one. */
type IsAsked = (action: "deploy" | "stop", id: string, operation: string) => boolean;

const anyOf =
  (...causes: readonly IsAsked[]): IsAsked =>
  (action, id, operation) =>
    causes.some((cause) => cause(action, id, operation));

/** See `mayRepeatOnce`. */
function repetitions({ platform }: Evidence): IsAsked {
  const done = new Set<string>();
  return (action, id, operation) => {
    const isNext = mayRepeatOnce(platform.sim.settings.surface, operation) && !done.has(`${action} ${id}`);
    return isNext && done.add(`${action} ${id}`).size > 0;
  };
}

function orders(env: Evidence): IsAsked {
  const left = new Set(env.unknowns);
  const names = namesOf(env);
  return (action, id) => {
    const found = [...left].find(({ order, name }) => order === action && name === names.get(id));
    return found !== undefined && left.delete(found);
  };
}

/** The names of what was created, by id: what is deleted meanwhile has them nowhere else. */
function namesOf(env: Evidence): ReadonlyMap<string, string> {
  return new Map(
    callsOf(env).flatMap(({ effects, body }) =>
      effects.flatMap((effect) =>
        "created" in effect ? [[effect.created, stringMember(body, "name") ?? ""] as const] : [],
      ),
    ),
  );
}

function repeatedStops(env: Evidence, isAsked: IsAsked): readonly string[] {
  const stops = effectsOf(env).flatMap(({ effect, operation }) =>
    "stopped" in effect ? [{ id: effect.stopped, operation }] : [],
  );
  return stops
    .filter(({ id, operation }, index) => {
      const isFirst = stops.findIndex((stop) => stop.id === id) === index;
      return !isFirst && !isAsked("stop", id, operation);
    })
    .map(({ id }) => `O3 ${id} was stopped again`);
}

interface Deployed {
  readonly commit: string | null;
  readonly decidedAt: number;
}

function isNew(before: Deployed | undefined, commit: string | null, writtenAt = 0): boolean {
  return before?.commit !== commit || writtenAt > before.decidedAt - UNSEEN_MS;
}

function causelessDeployments(env: Evidence, operations: number, isAsked: IsAsked): readonly string[] {
  const found: string[] = [];
  const last = new Map<string, Deployed>();
  const written = new Map<string, number>();
  let left = operations;
  for (const { operation, path, effect, at } of effectsOf(env)) {
    const application = applicationWritten(operation, path);
    if (application !== undefined) written.set(application, at);
    if (!("deployed" in effect)) continue;
    const { deployed: id, commit } = effect;
    const before = last.get(id);
    const isCaused = isNew(before, commit, written.get(id)) || isAsked("deploy", id, operation);
    if (!isCaused && operation === "deployApplication" && left > 0) left -= 1;
    else if (!isCaused) found.push(`O3 ${operation} of ${commit ?? "it"} again without a cause`);
    last.set(id, { commit, decidedAt: decidedAt(env, at) });
  }
  return found;
}

/** @returns the id of the application whose variables a call writes */
function applicationWritten(operation: string, path: string): string | undefined {
  return WRITES_VARIABLES.test(operation) ? APPLICATION.exec(path)?.[1] : undefined;
}

/** Its intent is written first; on a busy machine the request follows seconds later. */
function decidedAt(env: Evidence, at: number): number {
  return env.calls.findLast((call) => call.at <= at && INTENT.test(call.what))?.at ?? at;
}

const INTENT = /^kube PATCH platform(applications|operations)\/\S+\/status$/;

const WRITES_VARIABLES = /^(import|update|delete|create)\w*(Variable|Secret)$/;
const APPLICATION = /\/application\/([^/]+)\//;
