/** The commands that tell the operator what to do with an object: `pause`, `resume`, `approve` and `resolve`. */
import { uuid } from "../../api/fields.ts";
import { APPROVED_PLAN, PAUSED, RESOLVE } from "../../api/names.ts";
import { invalidPause, isPaused } from "../../api/paused.ts";
import { answersIn } from "../../api/resolve.ts";
import { conditionView, conditionViews } from "../../console/tree/summary.ts";
import { clusterPlatformConnection, platformConnection } from "../../kinds/connection/crd.ts";
import { stringMember } from "../../kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Call } from "../base/call.ts";
import type { ClusterClient } from "../base/cluster.ts";
import { CliError, EXIT, UsageError } from "../base/exit.ts";
import { requestAndWait } from "./reconcile.ts";
import { listObjects } from "./shared/listing.ts";
import { actionLines, lastDeployedCommit, reportedPlan } from "./shared/plan-view.ts";

interface DryRun {
  readonly dryRun?: "server" | undefined;
}

export async function pauseCommand(call: Call, names: readonly string[], options: DryRun): Promise<void> {
  await setPaused(call, names, true, options.dryRun);
}

interface ResumeOptions extends DryRun {
  readonly wait?: boolean | undefined;
  readonly timeout: number;
}

/** With `wait`, also requests a reconcile and waits, as reconcile does. */
export async function resumeCommand(call: Call, names: readonly string[], options: ResumeOptions): Promise<number> {
  const objects = await setPaused(call, names, false, options.dryRun);
  const waits = options.wait === true && options.dryRun === undefined;
  return waits ? requestAndWait(call, objects, options.timeout) : EXIT.ok;
}

/** @returns the objects as they were before */
async function setPaused(call: Call, names: readonly string[], paused: boolean, dryRun: DryRun["dryRun"]) {
  const cluster = await call.cluster();
  const objects = await call.objects(names);
  for (const object of objects) {
    const isAlready = isPaused(object) === paused;
    const annotations = { [PAUSED]: paused ? "true" : null };
    if (!isAlready || invalidPause(object) !== undefined) {
      await cluster.patch(object, { metadata: { annotations } }, dryRun);
    }
    const done = paused ? "paused" : "resumed";
    await call.wrote(object, isAlready ? `${done} already` : done, dryRun);
  }
  return objects;
}

/** Approves the plan of an object by its hash. */
export async function approveCommand(
  call: Call,
  name: string,
  { hash, dryRun }: DryRun & { readonly hash?: string | undefined },
): Promise<void> {
  const object = await call.object(name);
  const plan = reportedPlan(object);
  if (plan === undefined) throw new CliError(`${name} has no plan to approve: its status.plan is empty.`);
  for (const line of actionLines(plan.actions, lastDeployedCommit(object))) call.report(line);
  if (hash !== undefined && hash !== plan.hash) {
    throw new CliError(`${name} now has another plan, ${plan.hash}. Review it and approve that one.`);
  }
  const annotations = { [APPROVED_PLAN]: plan.hash };
  await (await call.cluster()).patch(object, { metadata: { annotations } }, dryRun);
  await call.wrote(object, `plan ${plan.hash} approved`, dryRun);
}

type ResolveOptions = DryRun & {
  readonly id?: string | undefined;
  readonly recreate?: boolean | undefined;
  readonly adopt?: boolean | undefined;
  readonly proceed?: boolean | undefined;
};

/** Records a user's decision that the operator must not make itself. */
export async function resolveCommand(call: Call, name: string, options: ResolveOptions): Promise<void> {
  const decision = decisionOf(options);
  const { id, dryRun } = options;
  if (id !== undefined && !uuid.safeParse(id).success)
    throw new UsageError("--id takes an id of the platform, a lower-case UUID.");
  const object = await call.object(name);
  const cluster = await call.cluster();
  const answer = decision === "id" ? undefined : await answerTo(cluster, object, decision);
  const refusal =
    decision === "id" ? idRefusal(object, id) : answer === undefined && unansweredMessage(object, decision);
  if (typeof refusal === "string") throw new CliError(`${name} ${refusal}`);
  await cluster.patch(object, changeOf(object, answer, id), dryRun);
  await call.wrote(object, `resolved: ${decision === "id" ? `it is ${id}` : decision}`, dryRun);
}

const DECISIONS = ["id", "recreate", "adopt", "proceed"] as const;
type Decision = (typeof DECISIONS)[number];

/** @throws UsageError for none, or more than one */
function decisionOf(flags: Readonly<Partial<Record<Decision, string | boolean | undefined>>>): Decision {
  const [decision, ...more] = DECISIONS.filter((name) => flags[name] !== undefined && flags[name] !== false);
  if (decision !== undefined && more.length === 0) return decision;
  throw new UsageError("Give exactly one of --id UUID, --recreate, --adopt and --proceed.");
}

/** Why an id would have no effect on an object, or not the intended one; undefined for a valid one. */
function idRefusal(object: KubeObject, id: string | undefined): string | undefined {
  if (isConnection(object)) return "is a connection: it represents no object of the platform.";
  const recorded = stringMember(object.status, "externalId");
  if (recorded === undefined || recorded === id) return undefined;
  return `is ${recorded} on the platform already. To manage another object, create another resource.`;
}

/**
 * Returns the value of the annotation for a decision: the conditions of the object print it, as only it answers the
 * question that is open now. A connection is asked about an installation by the objects that use it.
 * @returns undefined if no such question is open
 */
async function answerTo(
  cluster: ClusterClient,
  object: KubeObject,
  decision: Exclude<Decision, "id">,
): Promise<string | undefined> {
  const answer = answerOf(object, decision);
  if (answer !== undefined || decision !== "adopt" || !isConnection(object)) return answer;
  const namespace = object.metadata.namespace ?? "";
  const users = await listObjects({ cluster, namespace, report: () => undefined });
  const [only, ...more] = new Set(users.flatMap((user) => answerOf(user, decision) ?? []));
  return more.length === 0 ? only : undefined;
}

function answerOf(object: KubeObject, decision: Decision): string | undefined {
  const answers = conditionViews(object).flatMap(({ message }) => answersIn(message));
  return answers.find((answer) => answer.startsWith(`${decision}:`));
}

/** Why a decision answers nothing. */
function unansweredMessage(object: KubeObject, decision: Exclude<Decision, "id">): string {
  const reason = reasonOf(object);
  switch (decision) {
    case "recreate":
      return `has no create with an unknown result (its reason is ${reason}): there is nothing to resolve.`;
    case "adopt":
      return isConnection(object)
        ? "has no objects that one other installation recorded: there is nothing to adopt."
        : `has the reason ${reason}, not ForeignLedger: there is nothing to adopt.`;
    case "proceed":
      return `has the reason ${reason}. --proceed is for a connection with the reason MassChangeHeld.`;
    default:
      return decision satisfies never;
  }
}

function isConnection({ kind }: KubeObject): boolean {
  return kind === platformConnection.kind || kind === clusterPlatformConnection.kind;
}

/** Returns the reason of the condition Stalled, else that of Ready. */
function reasonOf(object: KubeObject): string {
  return conditionView(object, "Stalled")?.reason ?? conditionView(object, "Ready")?.reason ?? "nothing";
}

function changeOf(object: KubeObject, answer: string | undefined, id: string | undefined): JsonObject {
  if (answer !== undefined) return { metadata: { annotations: { [RESOLVE]: answer } } };
  return stringMember(object.spec, "externalId") === id ? {} : { spec: { externalId: id } };
}
