/**
 * What has to hold of a run, whatever happened in it (docs/reliability.md). Each returns sentences about violations.
 */
import { member } from "../../../src/kube/api/json.ts";
import { callsOf, isDuplicateCreate, type Evidence } from "../effects.ts";
import type { ChaosEnv } from "../env.ts";

/** O1: each object was created once, and not asked for again, even where the platform refuses a name that is taken. */
export function duplicates(env: Evidence): readonly string[] {
  const creations = callsOf(env)
    .filter((call) => isDuplicateCreate(call) || call.effects.some((effect) => "created" in effect))
    .map(({ operation, body }) => `${operation} ${textOf(member(body, "name"))}`);
  return [...Map.groupBy(creations, (each) => each)]
    .filter(([, { length }]) => length > 1)
    .map(([what, { length }]) => `O1 ${what}: asked for ${length} times`);
}

/** What there is on the platform, by name alone, to compare before and after. */
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

/** O2: after the last deletion the platform holds what it held at first; where it deletes nothing, all of it once. */
export function leaks(env: ChaosEnv, before: readonly string[], surface: "full" | "documented"): readonly string[] {
  const after = inventory(env);
  const left = after.filter((one) => !before.includes(one));
  if (surface === "full") return left.map((one) => `O2 left behind: ${one}`);
  const twice = left.filter((one, index) => !one.startsWith("variable") && left.indexOf(one) !== index);
  return twice.map((one) => `O2 twice on the platform: ${one}`);
}

/** O6: the process ended only where it was killed, and met nothing that it has no table for. */
export function upsets(env: ChaosEnv): readonly string[] {
  return env
    .logs()
    .filter(({ message, level }) => level === "error" && /unexpected|unhandled|could not be followed/i.test(message))
    .map(({ message }) => `O6 the log says: ${message}`);
}

/** @returns a text, "" for what is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
