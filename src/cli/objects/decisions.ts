/** The commands that tell the operator what to do with an object: `pause`, `resume`, `approve` and `resolve`. */
import { uuid } from "../../api/fields.ts";
import { APPROVED_PLAN, PAUSED, RESOLVE } from "../../api/names.ts";
import { invalidPause, isPaused } from "../../api/paused.ts";
import { answersIn } from "../../api/resolve.ts";
import { conditionView, conditionViews } from "../../console/tree/summary.ts";
import { clusterPlatformConnection, platformConnection } from "../../kinds/connection/crd.ts";
import { stringMember } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import { printable } from "../../text/text.ts";
import type { ClusterClient } from "../base/cluster.ts";
import { type Call, command } from "../base/command.ts";
import { CliError, EXIT, UsageError } from "../base/exit.ts";
import { fullName, TARGET, TARGETS } from "../base/targets.ts";
import { requestAndWait, WAIT_FOR_READY } from "./reconcile.ts";
import { listObjects } from "./shared/listing.ts";
import { actionLines, lastDeployedCommit, reportedPlan } from "./shared/plan-view.ts";

export const pauseCommand = command({
  asks: "cluster",
  args: [TARGETS],
  details:
    "The operator neither reads nor changes a paused object on the platform, except to delete it. It reports the pause in\n" +
    "the status of the object.",
  run: async (call) => {
    await setPaused(call, true);
  },
});

export const resumeCommand = command({
  asks: "platform",
  args: [TARGETS],
  flags: WAIT_FOR_READY,
  details: "With --wait, also requests a reconcile, as reconcile --wait does.",
  run: async (call) => {
    const objects = await setPaused(call, false);
    return call.flags.wait ? await requestAndWait(call, objects, call.flags.timeout) : EXIT.ok;
  },
});

/** @returns the objects as they were before */
async function setPaused(
  { args, io, ...call }: Call<{ readonly object: readonly string[] }>,
  paused: boolean,
): Promise<readonly KubeObject[]> {
  const cluster = await call.cluster();
  const objects = await call.objects(args.object);
  for (const object of objects) {
    const isAlready = isPaused(object) === paused;
    const annotations = { [PAUSED]: paused ? "true" : null };
    if (!isAlready || invalidPause(object) !== undefined) await cluster.patch(object, { metadata: { annotations } });
    const done = paused ? "paused" : "resumed";
    io.stdout.write(`${fullName(keyOf(object))} ${isAlready ? `${done} already` : done}\n`);
  }
  return objects;
}

export const approveCommand = command({
  asks: "cluster",
  args: [TARGET],
  flags: {
    hash: { type: "text", value: "HASH", about: "approve only this plan; fails if another plan is pending" },
  },
  details:
    "Shows the plan in status.plan and approves it by its hash. A plan that changes in the meantime is not approved.",
  run: async ({ args, flags, io, report, ...call }) => {
    const object = await call.object(args.object);
    const plan = reportedPlan(object);
    if (plan === undefined) {
      throw new CliError(`${args.object} has no plan to approve: its status.plan is empty.`);
    }
    for (const line of actionLines(plan.actions, lastDeployedCommit(object))) report(line);
    if (flags.hash !== undefined && flags.hash !== plan.hash) {
      throw new CliError(`${args.object} now has another plan, ${plan.hash}. Review it and approve that one.`);
    }
    await (await call.cluster()).patch(object, { metadata: { annotations: { [APPROVED_PLAN]: plan.hash } } });
    io.stdout.write(`${fullName(keyOf(object))} plan ${printable(plan.hash)} approved\n`);
  },
});

/** Records a user's decision that the operator must not make itself. */
export const resolveCommand = command({
  asks: "cluster",
  args: [TARGET],
  flags: {
    id: {
      type: "text",
      value: "UUID",
      about: "for CreateResultUnknown and DuplicateRemote: the id of the object on the platform",
    },
    recreate: { type: "switch", about: "for CreateResultUnknown: nothing was created, so create the object" },
    adopt: { type: "switch", about: "for ForeignLedger: the other installation has stopped, so take over the object" },
    proceed: { type: "switch", about: "for MassChangeHeld on a connection: allow the changes" },
  },
  details: "Takes exactly one of the four flags. Check the platform first: the operator does not verify the decision.",
  run: async ({ args, flags, io, ...call }) => {
    const decision = decisionOf(flags);
    if (flags.id !== undefined && !uuid.safeParse(flags.id).success)
      throw new UsageError("--id takes an id of the platform, a lower-case UUID.");
    const object = await call.object(args.object);
    const cluster = await call.cluster();
    const answer = decision === "id" ? undefined : await answerTo(cluster, object, decision);
    const refusal =
      decision === "id" ? idRefusal(object, flags.id) : answer === undefined && unansweredMessage(object, decision);
    if (typeof refusal === "string") throw new CliError(`${args.object} ${refusal}`);
    await cluster.patch(object, changeOf(object, answer, flags.id));
    io.stdout.write(`${fullName(keyOf(object))} resolved: ${decision === "id" ? `it is ${flags.id}` : decision}\n`);
  },
});

const DECISIONS = ["id", "recreate", "adopt", "proceed"] as const;
type Decision = (typeof DECISIONS)[number];

/** @throws UsageError for none, or more than one */
function decisionOf(flags: Readonly<Record<Decision, string | boolean | undefined>>): Decision {
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
