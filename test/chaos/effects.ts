import type { Surface } from "../../simulator/base/operations.ts";
import type { CallEntry } from "../../simulator/request/journal.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import type { ChaosEnv } from "./env.ts";

/** What an oracle needs of a bed. */
export interface Evidence extends Pick<ChaosEnv, "calls" | "unknowns"> {
  readonly platform: Pick<Simulator, "journal"> & {
    readonly sim: { readonly settings: { readonly surface: Surface } };
  };
}

/** @returns every call of a bed's platform, whatever became of it, in order. */
export function callsOf(env: Evidence): readonly CallEntry[] {
  return env.platform.journal().filter((entry) => entry.is === "call");
}

/**
 * The one exception from "once": an action that changes nothing when it is repeated is sent once more where nothing
 * shows its outcome, as on the documented surface nothing shows a database.
 */
export function repeatableOnce(surface: Surface, operation: string): boolean {
  return surface === "documented" && REPEATABLE.test(operation);
}

const REPEATABLE = /^(deployDatabase|stopDatabase|stopCluster)$/;

/**
 * What a bed's calls did to the platform, in order, e.g. "createProject": one line for each call that had an effect,
 * and for each that would have created something a second time.
 */
export function effects(env: ChaosEnv): readonly string[] {
  return callsOf(env)
    .filter((call) => call.effects.length > 0 || asksForMore(call))
    .map(({ method, path, operation }) => operation ?? `${method} ${path}`);
}

/**
 * @returns whether a call asked for what is there already: only the platform's unique names kept it from a duplicate.
 */
export function asksForMore({ operation, status }: Pick<CallEntry, "operation" | "status">): boolean {
  return status === 409 && operation?.startsWith("create") === true;
}
