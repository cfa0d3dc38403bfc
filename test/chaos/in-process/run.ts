/** One run: a whole life with the faults of a plan in it. */
import { RECONCILE_REQUESTED_AT, RESOLVE } from "../../../src/api/names.ts";
import { conditionsOf, isSettled } from "../../../src/engine/contract/status.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import { holdings } from "../holdings.ts";
import { createChaosEnv, type ChaosEnv } from "./env.ts";
import { CRASHES, type Exchange, type Plan } from "./faults.ts";
import { repeated } from "./invariants.ts";
import { lifeOn, type Phase } from "./life.ts";
import type { Platforms } from "./platform.ts";

const MINUTE = 60_000;
/** Within which a phase comes to its end, whatever happens; the longest wait of the engine's own is 5 minutes. */
const PHASE_MS = 20 * MINUTE;
/** How often a person comes by: to tell the id, to give an order, each for every fault, and once in vain. */
const HELPED_AT_MOST = 5;
/** Longer than a poll interval with its spread: all has been looked at once more. */
const POLL_MS = 11.5 * MINUTE;

export interface Outcome {
  readonly trace: readonly Exchange[];
  /** What the platform held when all of the life but its end was over, and after the end. */
  readonly held: readonly string[];
  readonly left: readonly string[];
  /** The conditions of all objects then, before the end. */
  readonly told: readonly string[];
  /** What must not be. */
  readonly violations: readonly string[];
}

/** @param reference the same life without faults, once there is one */
export async function run(platforms: Platforms, plan: Plan, reference?: Outcome): Promise<Outcome> {
  const env = createChaosEnv(platforms, plan);
  const violations: string[] = [];
  let held: readonly string[] = [];
  let told: readonly string[] = [];
  let orders = 0;
  try {
    for (const phase of lifeOn(plan.surface)) {
      // A write that may be repeated, and is, can land late once more: nobody could tell it from the newer one.
      await env.until(() => env.gate.late() === 0, PHASE_MS);
      phase.act(env);
      const ended = await ends(env, phase, plan);
      orders += ended.orders;
      if (!ended.over) violations.push(`"${phase.name}" does not end: ${state(env)}`);
      if (violations.length > 0) break;
      if (phase.rests === true) {
        violations.push(...(await restless(env, plan)));
        held = holdings(env.platform.world());
        told = conditions(env);
      }
    }
  } catch (error) {
    violations.push(String(error));
  }
  const left = holdings(env.platform.world());
  violations.push(
    ...repeated(env.platform, orders, plan.surface),
    ...env.internal.map((error) => `internal: ${String(error)}`),
  );
  if (reference !== undefined && violations.length === 0) {
    violations.push(...differing("held", held, reference.held));
    violations.push(...differing("left", left, reference.left));
    violations.push(...differing("told", told, reference.told).filter((line) => !isNewsOf(plan, line)));
  }
  return { trace: env.gate.trace, held, left, told, violations };
}

/**
 * Brings a phase to its end. On the documented surface there are results that nothing can find out; then a person does
 * the one thing that the message names.
 * @returns whether it ended, and how many orders a person had given again
 */
async function ends(env: ChaosEnv, phase: Phase, { surface }: Plan): Promise<{ over: boolean; orders: number }> {
  let orders = 0;
  for (let helped = 0; helped < HELPED_AT_MOST; helped += 1) {
    await env.until(() => phase.isOver(env) || stuck(env).length > 0, PHASE_MS);
    const waiting = stuck(env);
    if (waiting.length === 0) return { over: phase.isOver(env), orders };
    if (surface === "full") break;
    // By then everything has landed that will, and afterwards it shows what was done about it.
    await env.until(() => false, MINUTE);
    for (const object of waiting) {
      if (needsOrder(object)) orders += 1;
      help(env, object);
    }
    await env.until(() => false, MINUTE);
  }
  return { over: false, orders };
}

function reasonOf(object: KubeObject): string | undefined {
  return conditionsOf(object).find(({ type }) => type === "Stalled")?.reason;
}

/**
 * What waits for a person: the result of a create, or an order to a database, whose state the surface does not show.
 */
function stuck({ cluster }: ChaosEnv): readonly KubeObject[] {
  return cluster.all().filter((object) => reasonOf(object) === "CreateResultUnknown" || needsOrder(object));
}

function needsOrder(object: KubeObject): boolean {
  return object.kind === "PlatformDatabase" && conditionsOf(object).some(({ reason }) => reason === "NotObservable");
}

/** Looks on the platform whether what was created is there; an order to a database is given again. */
function help({ cluster, platform }: ChaosEnv, object: KubeObject): void {
  const { kind, metadata } = object;
  const { services, environments, projects } = platform.world();
  const all = [...services.values(), ...environments.values(), ...projects.values()];
  const there = all.find(({ name }) => name === metadata.name);
  if (needsOrder(object)) annotate(RECONCILE_REQUESTED_AT, String(cluster.version()));
  else if (there === undefined) annotate(RESOLVE, "recreate");
  else cluster.patch(kind, metadata.name, { spec: { externalId: there.id } });

  function annotate(annotation: string, value: string): void {
    cluster.patch(kind, metadata.name, { metadata: { annotations: { [annotation]: value } } });
  }
}

/**
 * Lets time pass in which nothing is to be done. A poll may tell what changed before it, e.g. how many children there
 * are or what a fault left behind; the next one has nothing to say. A kill loses which operations the platform is known
 * to have: one poll learns them, and the next one may report them.
 * @returns what was done nevertheless
 */
async function restless(env: ChaosEnv, { faults }: Plan): Promise<readonly string[]> {
  const isKilled = faults.some(({ fault }) => CRASHES.some((crash) => crash === fault));
  for (;;) {
    const polls = [await poll(env), await poll(env)];
    if (isKilled && polls.at(-1)?.some(({ writes }) => writes) === true) polls.push(await poll(env));
    if (polls.every((one) => one !== undefined))
      return polls.at(-1)?.flatMap(({ what, writes }) => (writes ? [`at rest: ${what}`] : [])) ?? [];
  }
}

/** Lets everything be looked at once more. @returns the exchanges; undefined when a fault was among them */
async function poll(env: ChaosEnv): Promise<readonly Exchange[] | undefined> {
  const { gate } = env;
  const [since, met] = [gate.trace.length, gate.met()];
  await env.until(() => false, POLL_MS);
  return gate.met() === met ? gate.trace.slice(since) : undefined;
}

/**
 * Whether it was a fault that made it so: an import that lands after the deployment which was to bring it out leaves
 * the application outdated, and the documented surface does not show that its values are the deployed ones.
 */
function isNewsOf({ surface, faults }: Plan, line: string): boolean {
  const landsLate = faults.some(({ fault }) => fault === "late" || fault === "slow");
  return surface === "documented" && landsLate && line.includes("PlatformApplication api: Drifted=");
}

function conditions({ cluster }: ChaosEnv): readonly string[] {
  return cluster
    .all()
    .flatMap((object) =>
      conditionsOf(object).map(
        ({ type, status, reason }) => `${object.kind} ${object.metadata.name}: ${type}=${status}/${reason}`,
      ),
    );
}

function differing(what: string, is: readonly string[], should: readonly string[]): readonly string[] {
  return [
    ...is.filter((line) => !should.includes(line)).map((line) => `${what}, but should not: ${line}`),
    ...should.filter((line) => !is.includes(line)).map((line) => `not ${what}: ${line}`),
  ];
}

function state({ cluster }: ChaosEnv): string {
  const open = cluster.all().filter((object) => !isSettled(object));
  return open
    .map((object) => {
      const conditions = conditionsOf(object).map(
        ({ type, status, reason, message }) => `${type}=${status}/${reason} ${message}`,
      );
      return `${object.kind} ${object.metadata.name}: ${conditions.join("; ")}`;
    })
    .join(" | ");
}
