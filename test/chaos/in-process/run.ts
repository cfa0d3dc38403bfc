/** Runs the lifecycle with the faults of a plan. */
import { RECONCILE_REQUESTED_AT, RESOLVE } from "../../../src/api/names.ts";
import { conditionsOf, isSettled } from "../../../src/engine/contract/status.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import { answerIn } from "../../support/kube/answer.ts";
import { holdings } from "../holdings.ts";
import { createChaosEnv, type ChaosEnv } from "./env.ts";
import { CRASHES, type Exchange, type Plan } from "./faults.ts";
import { repeated } from "./invariants.ts";
import { lifecycleOn, type Phase } from "./lifecycle.ts";
import type { Platforms } from "./platform.ts";

const MINUTE = 60_000;
/** The time limit of a phase; the engine's longest wait is 5 minutes. */
const PHASE_TIMEOUT_MS = 20 * MINUTE;
/** The limit of the user's actions in a phase: two for each fault, and one more. */
const MAX_USER_ACTIONS = 5;
/** Longer than a poll interval with its jitter: every object is polled once more. */
const POLL_MS = 11.5 * MINUTE;

export interface Outcome {
  readonly trace: readonly Exchange[];
  /** What the platform holds before the deletion. */
  readonly held: readonly string[];
  /** What the platform holds after the deletion. */
  readonly left: readonly string[];
  /** The conditions of all objects before the deletion. */
  readonly conditions: readonly string[];
  readonly violations: readonly string[];
}

/** @param reference the outcome without faults to compare with */
export async function run(platforms: Platforms, plan: Plan, reference?: Outcome): Promise<Outcome> {
  const env = createChaosEnv(platforms, plan);
  const violations: string[] = [];
  let held: readonly string[] = [];
  let conditions: readonly string[] = [];
  let requested = 0;
  try {
    for (const phase of lifecycleOn(plan.surface)) {
      // A repeated write may land late: in the next phase it would be indistinguishable from a newer one.
      await env.until(() => env.gate.pendingEffects() === 0, PHASE_TIMEOUT_MS);
      phase.act(env);
      const result = await complete(env, phase, plan);
      requested += result.requested;
      if (!result.completed) violations.push(`"${phase.name}" does not complete: ${unsettled(env)}`);
      if (violations.length > 0) break;
      if (phase.checksIdle === true) {
        violations.push(...(await writesWhenIdle(env, plan)));
        held = holdings(env.platform.world());
        conditions = conditionLines(env);
      }
    }
  } catch (error) {
    violations.push(String(error));
  }
  const left = holdings(env.platform.world());
  violations.push(
    ...repeated(env.platform, requested, plan.surface),
    ...env.internalErrors.map((error) => `internal: ${String(error)}`),
  );
  if (reference !== undefined && violations.length === 0) {
    violations.push(...differences("held", held, reference.held));
    violations.push(...differences("left", left, reference.left));
    const changed = differences("condition", conditions, reference.conditions);
    violations.push(...changed.filter((line) => !isCausedBy(plan, line)));
  }
  return { trace: env.gate.trace, held, left, conditions, violations };
}

/**
 * Waits until a phase is complete. On the documented surface some results cannot be observed; then this does, as the
 * user, what the condition's message asks for.
 * @returns whether the phase completed, and how many actions the user requested again
 */
async function complete(
  env: ChaosEnv,
  phase: Phase,
  { surface }: Plan,
): Promise<{ completed: boolean; requested: number }> {
  let requested = 0;
  for (let attempt = 0; attempt < MAX_USER_ACTIONS; attempt += 1) {
    await env.until(() => phase.isComplete(env) || waitingForUser(env).length > 0, PHASE_TIMEOUT_MS);
    const waiting = waitingForUser(env);
    if (waiting.length === 0) return { completed: phase.isComplete(env), requested };
    if (surface === "full") break;
    // All late effects land before the user looks; the second wait lets the operator react.
    await env.until(() => false, MINUTE);
    for (const object of waiting) {
      if (needsRequest(object)) requested += 1;
      resolveAsUser(env, object);
    }
    await env.until(() => false, MINUTE);
  }
  return { completed: false, requested };
}

function reasonOf(object: KubeObject): string | undefined {
  return conditionsOf(object).find(({ type }) => type === "Stalled")?.reason;
}

/** Returns the objects with an unknown result of a create, or of an action on a database that cannot be observed. */
function waitingForUser({ cluster }: ChaosEnv): readonly KubeObject[] {
  return cluster.all().filter((object) => reasonOf(object) === "CreateResultUnknown" || needsRequest(object));
}

function needsRequest(object: KubeObject): boolean {
  return (
    object.kind === "PlatformDatabase" &&
    conditionsOf(object).some(({ type, reason }) => type !== "Drifted" && reason === "NotObservable")
  );
}

/** Requests the action again, or resolves an unknown create: with the external id if the object exists. */
function resolveAsUser({ cluster, platform }: ChaosEnv, object: KubeObject): void {
  const { kind, metadata } = object;
  const { services, environments, projects } = platform.world();
  const all = [...services.values(), ...environments.values(), ...projects.values()];
  const existing = all.find(({ name }) => name === metadata.name);
  if (needsRequest(object)) annotate(RECONCILE_REQUESTED_AT, String(cluster.version()));
  else if (existing === undefined) annotate(RESOLVE, answerIn(object));
  else cluster.patch(kind, metadata.name, { spec: { externalId: existing.id } });

  function annotate(annotation: string, value: string): void {
    cluster.patch(kind, metadata.name, { metadata: { annotations: { [annotation]: value } } });
  }
}

/**
 * Waits for two polls and returns the writes of the last one. The first may still report earlier changes, e.g. the
 * number of children. A crash loses the discovered capabilities: one more poll may learn and report them.
 */
async function writesWhenIdle(env: ChaosEnv, { faults }: Plan): Promise<readonly string[]> {
  const isKilled = faults.some(({ fault }) => CRASHES.some((crash) => crash === fault));
  for (;;) {
    const polls = [await poll(env), await poll(env)];
    if (isKilled && polls.at(-1)?.some(({ writes }) => writes) === true) polls.push(await poll(env));
    if (polls.every((exchanges) => exchanges !== undefined))
      return polls.at(-1)?.flatMap(({ request, writes }) => (writes ? [`when idle: ${request}`] : [])) ?? [];
  }
}

/** Waits for a poll of every object. @returns the exchanges; undefined if a fault was injected */
async function poll(env: ChaosEnv): Promise<readonly Exchange[] | undefined> {
  const { gate } = env;
  const [since, injected] = [gate.trace.length, gate.injected()];
  await env.until(() => false, POLL_MS);
  return gate.injected() === injected ? gate.trace.slice(since) : undefined;
}

/**
 * Reports whether a fault explains the difference: an import that lands after its deployment leaves the application
 * outdated, and the documented surface does not show which values are deployed.
 */
function isCausedBy({ surface, faults }: Plan, line: string): boolean {
  const landsLate = faults.some(({ fault }) => fault === "late" || fault === "slow");
  return surface === "documented" && landsLate && line.includes("PlatformApplication api: Drifted=");
}

function conditionLines({ cluster }: ChaosEnv): readonly string[] {
  return cluster
    .all()
    .flatMap((object) =>
      conditionsOf(object).map(
        ({ type, status, reason }) => `${object.kind} ${object.metadata.name}: ${type}=${status}/${reason}`,
      ),
    );
}

function differences(label: string, actual: readonly string[], expected: readonly string[]): readonly string[] {
  return [
    ...actual.filter((line) => !expected.includes(line)).map((line) => `${label}, unexpected: ${line}`),
    ...expected.filter((line) => !actual.includes(line)).map((line) => `${label}, missing: ${line}`),
  ];
}

function unsettled({ cluster }: ChaosEnv): string {
  const objects = cluster.all().filter((object) => !isSettled(object));
  return objects
    .map((object) => {
      const conditions = conditionsOf(object).map(
        ({ type, status, reason, message }) => `${type}=${status}/${reason} ${message}`,
      );
      return `${object.kind} ${object.metadata.name}: ${conditions.join("; ")}`;
    })
    .join(" | ");
}
