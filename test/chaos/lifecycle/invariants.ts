/** The invariants of every run. Each function returns its violations. */
import { stringMember } from "../../../src/kube/api/json.ts";
import { callsOf, isDuplicateCreate, type Evidence } from "../effects.ts";
import type { ChaosEnv } from "../env.ts";

/** Each object is created once, without a second request that the platform refuses for its name. */
export function duplicates(env: Evidence): readonly string[] {
  const creations = callsOf(env)
    .filter((call) => isDuplicateCreate(call) || call.effects.some((effect) => "created" in effect))
    .map(({ operation, body }) => `${operation} ${stringMember(body, "name") ?? ""}`);
  return [...Map.groupBy(creations, (creation) => creation)]
    .filter(([, { length }]) => length > 1)
    .map(([creation, { length }]) => `O1 ${creation}: requested ${length} times`);
}

/** Lists the platform's objects by name. */
export function inventory(env: ChaosEnv): readonly string[] {
  const { projects, environments, services, webhooks, blueprints, variables } = env.platform.world();
  return [
    ...[...projects.values()].map(({ name }) => `project ${name}`),
    ...[...environments.values()].map(({ name }) => `environment ${name}`),
    ...[...services.values()].map(({ name }) => `service ${name}`),
    ...[...webhooks.values()].map(({ targetUrl }) => `webhook ${targetUrl}`),
    ...[...blueprints.values()].map(({ name }) => `blueprint ${name}`),
    ...[...variables.values()].filter(({ scope }) => scope !== "BUILT_IN").map(({ key }) => `variable ${key}`),
  ].toSorted();
}

/** The deletion leaves nothing behind; on the documented surface, which deletes nothing, no object exists twice. */
export function leaks(env: ChaosEnv, before: readonly string[], surface: "full" | "documented"): readonly string[] {
  const after = inventory(env);
  const left = after.filter((line) => !before.includes(line));
  if (surface === "full") return left.map((line) => `O2 left behind: ${line}`);
  const twice = left.filter((line, index) => !line.startsWith("variable") && left.indexOf(line) !== index);
  return twice.map((line) => `O2 twice on the platform: ${line}`);
}

/** The log has no unexpected error. */
export function loggedErrors(env: ChaosEnv): readonly string[] {
  return env
    .logs()
    .filter(({ message, level }) => level === "error" && /unexpected|unhandled|could not be followed/i.test(message))
    .map(({ message }) => `O6 the log says: ${message}`);
}
