import type { Surface } from "../../simulator/base/operations.ts";
import type { CallEntry } from "../../simulator/request/journal.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import type { ChaosEnv } from "./env.ts";

/** The record of a run that invariants are checked against. */
export interface Evidence extends Pick<ChaosEnv, "calls" | "userActions"> {
  readonly platform: Pick<Simulator, "journal"> & {
    readonly sim: { readonly settings: { readonly surface: Surface } };
  };
}

/** Returns all calls of the platform in order, failed ones included. */
export function callsOf(env: Evidence): readonly CallEntry[] {
  return env.platform.journal().filter((entry) => entry.is === "call");
}

/**
 * Reports whether an operation may be sent a second time: an idempotent action whose outcome the surface does not show,
 * such as a database's state on the documented surface.
 */
export function mayRepeatOnce(surface: Surface, operation: string): boolean {
  return surface === "documented" && IDEMPOTENT.test(operation);
}

const IDEMPOTENT = /^(deployDatabase|stopDatabase|stopCluster)$/;

/** Returns the operations that had an effect on the platform or tried a duplicate create, in order. */
export function effects(env: ChaosEnv): readonly string[] {
  return callsOf(env)
    .filter((call) => call.effects.length > 0 || isDuplicateCreate(call))
    .map(({ method, path, operation }) => operation ?? `${method} ${path}`);
}

/** Returns the deployments on the platform in order, e.g. "shop 0123456…" with the service's name and the commit. */
export function deployments(env: ChaosEnv): readonly string[] {
  const { services } = env.platform.world();
  return callsOf(env)
    .flatMap((call) => call.effects)
    .flatMap((effect) => ("deployed" in effect ? [`${services.get(effect.deployed)?.name} ${effect.commit}`] : []));
}

/** Reports whether only the platform's unique names prevented a duplicate. */
export function isDuplicateCreate({ operation, status }: Pick<CallEntry, "operation" | "status">): boolean {
  return status === 409 && operation?.startsWith("create") === true;
}
