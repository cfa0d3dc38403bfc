/** Plans the webhook: a list of checks, of which the first difference wins. Pure. */
import type { Plan, Uuid, Why } from "../../engine/contract/kind.ts";
import { firstOf, once, stalled } from "../shared/checks.ts";
import { beyondProjects, unprovenId } from "../shared/limits.ts";
import { alreadyManaged, deletedThere, unseen } from "../shared/names.ts";
import { type Do, type Seen, type WebhookContext, driftOf, isOutdated, shownTarget } from "./model.ts";

type Check = Plan<Do> | undefined;

/** Returns the next step. */
export function plan(context: WebhookContext, seen: Seen): Plan<Do> {
  if (context.goal !== "present") return planAbsent(context, seen);
  const limited = beyondProjects(context, TELLS_OF_ALL);
  if (limited !== undefined) return { is: "stalled", why: limited };
  const { id } = context;
  if (id === undefined) return planNew(context);
  const refused = refusal(context, seen, id);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (context.identitySource !== "recorded") return { is: "adopt", id };
  return firstOf(context, [() => checkShown(context, seen), () => checkSent(context, seen)]);
}

const TELLS_OF_ALL = "a webhook is notified of deployments in all projects";

function planNew(context: WebhookContext): Plan<Do> {
  const target = shownTarget(context.spec.targetUrl);
  if (context.policies.adoption === "Required") {
    const message =
      "adoptionPolicy Required forbids to create a webhook, and the platform has no list to find one in. Set spec.externalId.";
    return { is: "waiting", why: { reason: "DependencyNotReady", message } };
  }
  const why: Why = { reason: "Creating", message: `Registering a webhook to ${target}.` };
  return once("createWebhook", "create", why, { creates: true, mark: null, name: target });
}

/** Why an id must not be worked on. On the full surface being among the organization's webhooks is proof. */
function refusal(context: WebhookContext, seen: Seen, id: Uuid): Why | undefined {
  const recorded = context.identitySource === "recorded";
  if (seen.shown === "gone") {
    return recorded
      ? deletedThere("webhook", id)
      : unseen(context, { noun: "webhook", name: "", id, where: "the organization" });
  }
  const holder = context.records.holderOf(id);
  if (holder !== undefined) return alreadyManaged(id, holder);
  const isProven = recorded || context.identitySource === "orphaned" || typeof seen.shown === "object";
  return isProven ? undefined : unprovenId(context, `webhook ${id}`);
}

/** Sent once in a reconcile: what the platform stores otherwise is told as drift. */
function checkShown(context: WebhookContext, seen: Seen): Check {
  if (typeof seen.shown !== "object" || seen.sent || driftOf(context.spec, seen.shown).length === 0) return undefined;
  if (context.supports("updateWebhook") === "Unsupported")
    return context.policies.corrects === "Nothing" ? undefined : NO_UPDATE;
  const message = "Update target, events and state of the webhook.";
  return {
    is: "step",
    step: { repeat: "safe", op: "updateWebhook", do: "update", corrects: true, message },
  };
}

/** Where nothing is shown, what was sent last is all there is to compare with. */
function checkSent(context: WebhookContext, seen: Seen): Check {
  if (seen.shown !== undefined || !isOutdated(context.memory.registered, context.inputs.settings)) return undefined;
  return NO_UPDATE;
}

const NO_UPDATE = stalled(
  "UpdateNotSupported",
  "The platform's surface has no update of webhooks. Make spec what it was, or change the webhook on the platform and adopt it with a new resource.",
);

function planAbsent(context: WebhookContext, seen: Seen): Plan<Do> {
  if (context.goal === "stopped" || context.id === undefined || seen.shown === "gone") return { is: "settled" };
  const limited = beyondProjects(context, TELLS_OF_ALL);
  if (limited !== undefined) return { is: "stalled", why: limited };
  if (seen.shown === undefined || context.supports("deleteWebhook") === "Unsupported") {
    return stalled("DeleteNotSupported", "The platform's surface has no deletion of webhooks.");
  }
  // Ids can be written by whoever may edit the object; another target may be another team's receiver.
  if (seen.shown.targetUrl !== context.spec.targetUrl) {
    return stalled(
      "NameConflict",
      `The webhook ${context.id} does not have the target that spec.targetUrl says, so it may not be the one that is meant; it is not deleted.`,
    );
  }
  return { is: "step", step: { repeat: "safe", op: "deleteWebhook", do: "delete" } };
}
