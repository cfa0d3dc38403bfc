/** Every deployment and every stop has a cause. */
import type { Effect } from "../../../simulator/request/journal.ts";
import { stringMember } from "../../../src/kube/api/json.ts";
import { callsOf, mayRepeatOnce, type Evidence } from "../effects.ts";
import { SHARED_NAMES } from "./chapters.ts";

/** The operator may not have observed a variable written so shortly before it decided on a deployment. */
const UNOBSERVED_MS = 500;

interface Applied {
  readonly operation: string;
  readonly path: string;
  readonly effect: Effect;
  readonly at: number;
}

/**
 * Returns a sentence for each deployment or stop without a cause. A deployment has a cause if its commit is new, if a
 * variable of the application, or the blueprint, was written after the decision on the previous deployment, if the
 * annotation redeploy-requested-at requests it, or if the user requests it after an unknown result. A stop has one the
 * first time, and if the user requests it so. An idempotent action may occur once more (`mayRepeatOnce`).
 * @param redeploys the number of deployments of applications that the annotation requests
 */
export function doubleActions(env: Evidence, redeploys: number): readonly string[] {
  const hasCause = anyOf(requestedByUser(env), idempotentRepeats(env));
  return [...repeatedStops(env, hasCause), ...deploymentsWithoutCause(env, redeploys, hasCause)];
}

function effectsOf(env: Evidence): readonly Applied[] {
  return callsOf(env).flatMap(({ operation, path, effects, at }) =>
    effects.map((effect) => ({ operation: operation ?? "", path, effect, at: Date.parse(at) })),
  );
}

/** Reports whether an action on the service with that id has a cause, and consumes the cause. */
type HasCause = (action: "deploy" | "stop", id: string, operation: string) => boolean;

const anyOf =
  (...checks: readonly HasCause[]): HasCause =>
  (action, id, operation) =>
    checks.some((check) => check(action, id, operation));

function idempotentRepeats({ platform }: Evidence): HasCause {
  const done = new Set<string>();
  return (action, id, operation) => {
    const isNext = mayRepeatOnce(platform.sim.settings.surface, operation) && !done.has(`${action} ${id}`);
    return isNext && done.add(`${action} ${id}`).size > 0;
  };
}

function requestedByUser(env: Evidence): HasCause {
  const left = new Set(env.userActions);
  const names = namesOf(env);
  return (action, id) => {
    const found = [...left].find(({ repeats, name }) => repeats === action && name === names.get(id));
    return found !== undefined && left.delete(found);
  };
}

/** Returns the names of all created objects by id, deleted objects included. */
function namesOf(env: Evidence): ReadonlyMap<string, string> {
  return new Map(
    callsOf(env).flatMap(({ effects, body }) =>
      effects.flatMap((effect) =>
        "created" in effect ? [[effect.created, stringMember(body, "name") ?? ""] as const] : [],
      ),
    ),
  );
}

function repeatedStops(env: Evidence, hasCause: HasCause): readonly string[] {
  const stops = effectsOf(env).flatMap(({ effect, operation }) =>
    "stopped" in effect ? [{ id: effect.stopped, operation }] : [],
  );
  return stops
    .filter(({ id, operation }, index) => {
      const isFirst = stops.findIndex((stop) => stop.id === id) === index;
      return !isFirst && !hasCause("stop", id, operation);
    })
    .map(({ id }) => `O3 ${id} was stopped again`);
}

interface Deployed {
  readonly commit: string | null;
  readonly decidedAt: number;
}

function hasChanged(before: Deployed | undefined, commit: string | null, writtenAt = 0): boolean {
  return before?.commit !== commit || writtenAt > before.decidedAt - UNOBSERVED_MS;
}

function deploymentsWithoutCause(env: Evidence, redeploys: number, hasCause: HasCause): readonly string[] {
  const found: string[] = [];
  const repeats: string[] = [];
  const last = new Map<string, Deployed>();
  const written = new Map<string, number>();
  for (const { operation, path, effect, at } of effectsOf(env)) {
    const service = serviceWritten(operation, path, effect);
    if (service !== undefined) written.set(service, knownAt(env, effect, at));
    if (!("deployed" in effect)) continue;
    const { deployed: id, commit } = effect;
    const before = last.get(id);
    const decided = decidedAt(env, at);
    const isCaused = hasChanged(before, commit, written.get(id)) || hasCause("deploy", id, operation);
    if (!isCaused) {
      const writtenAt = written.get(id);
      const variable = writtenAt === undefined ? "no variable" : `a variable written ${decided - writtenAt} ms before`;
      const former = decided - (before?.decidedAt ?? decided);
      const text = `O3 ${operation} of ${commit ?? "it"} repeated without a cause, ${former} ms after the former decision, ${variable}`;
      (operation === "deployApplication" ? repeats : found).push(text);
    }
    last.set(id, { commit, decidedAt: decided });
  }
  // Which of them the annotation requested is not known.
  return repeats.length > redeploys ? [...found, ...repeats] : found;
}

/** Returns the id of the application whose variables a call writes, or of the service whose blueprint it changes. */
function serviceWritten(operation: string, path: string, effect: Effect): string | undefined {
  if (operation === "updateBlueprint" && "updated" in effect) return effect.updated;
  return WRITES_VARIABLES.test(operation) ? APPLICATION.exec(path)?.[1] : undefined;
}

/**
 * Returns when the application knew of a written variable: that of a variable set once the set's status records the
 * write, its own at once.
 */
function knownAt({ calls }: Evidence, effect: Effect, at: number): number {
  const isOfSet = "imported" in effect && SHARED_NAMES.some((name) => effect.names.includes(name));
  const record = isOfSet ? calls.find((call) => call.at >= at && SET_STATUS.test(call.what)) : undefined;
  return record?.at ?? at;
}

const SET_STATUS = /^kube PATCH platformvariablesets\/\S+\/status$/;

/** Returns when the intent was written; on a busy machine the request follows seconds later. */
function decidedAt(env: Evidence, at: number): number {
  return env.calls.findLast((call) => call.at <= at && INTENT.test(call.what))?.at ?? at;
}

const INTENT = /^kube PATCH platformapplications\/\S+\/status$/;

const WRITES_VARIABLES = /^(import|update|delete|create)\w*(Variable|Secret)$/;
const APPLICATION = /\/application\/([^/]+)\//;
