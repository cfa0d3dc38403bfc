/** What a webhook needs next: a list of checks, the first difference wins. Pure. */
import type { Plan, Uuid, Why } from "../../engine/contract/kind.ts";
import { firstOf } from "../shared/checks.ts";
import { beyondProjects, unprovenId } from "../shared/limits.ts";
import { alreadyManaged, deletedThere } from "../shared/names.ts";
import { unseen } from "../shared/unseen.ts";
import type { Do, Seen, WebhookPass } from "./model.ts";
import { driftOf, isOutdated, shownTarget } from "./settings.ts";

type Check = Plan<Do> | undefined;

const stalled = (reason: Why["reason"], message: string): Plan<Do> => ({ is: "stalled", why: { reason, message } });

/** What to do next. */
export function plan(pass: WebhookPass, seen: Seen): Plan<Do> {
  if (pass.goal !== "present") return planAbsent(pass, seen);
  const limited = beyondProjects(pass, TELLS_OF_ALL);
  if (limited !== undefined) return { is: "stalled", why: limited };
  const { id } = pass;
  if (id === undefined) return planNew(pass);
  const refused = refusal(pass, seen, id);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (pass.proof !== "recorded") return { is: "adopt", id };
  return firstOf(pass, [() => checkShown(pass, seen), () => checkSent(pass, seen)]);
}

const TELLS_OF_ALL = "a webhook is told of deployments in all projects";

function planNew(pass: WebhookPass): Plan<Do> {
  const target = shownTarget(pass.spec.targetUrl);
  if (pass.adoption === "Required") {
    const message =
      "adoptionPolicy Required forbids to create a webhook, and the platform has no list to find one in. Set spec.externalId.";
    return { is: "waiting", why: { reason: "DependencyNotReady", message } };
  }
  const why: Why = { reason: "Creating", message: `Registering a webhook to ${target}.` };
  return {
    is: "step",
    step: { repeat: "once", op: "createWebhook", do: "create", creates: true, mark: null, name: target, why },
  };
}

/** Why an id must not be worked on. On the full surface being among the organization's webhooks is proof. */
function refusal(pass: WebhookPass, seen: Seen, id: Uuid): Why | undefined {
  const recorded = pass.proof === "recorded";
  if (seen.shown === "gone") {
    return recorded
      ? deletedThere("webhook", id)
      : unseen(pass, { noun: "webhook", name: "", id, where: "the organization" });
  }
  const holder = pass.holderOf(id);
  if (holder !== undefined) return alreadyManaged(id, holder);
  const isProven = recorded || pass.proof === "orphaned" || typeof seen.shown === "object";
  return isProven ? undefined : unprovenId(pass, `webhook ${id}`);
}

/** Sent once in a pass: what the platform stores otherwise is told as drift. */
function checkShown(pass: WebhookPass, seen: Seen): Check {
  if (typeof seen.shown !== "object" || seen.sent || driftOf(pass.spec, seen.shown).length === 0) return undefined;
  if (pass.supports("updateWebhook") === "Unsupported") return pass.corrects === "Nothing" ? undefined : NO_UPDATE;
  const message = "Update target, events and state of the webhook.";
  return {
    is: "step",
    step: { repeat: "safe", op: "updateWebhook", do: "update", corrects: true, message },
  };
}

/** Where nothing is shown, what was sent last is all there is to compare with. */
function checkSent(pass: WebhookPass, seen: Seen): Check {
  if (seen.shown !== undefined || !isOutdated(pass.memory.registered, pass.inputs.settings)) return undefined;
  return NO_UPDATE;
}

const NO_UPDATE = stalled(
  "UpdateNotSupported",
  "The platform's surface has no update of webhooks. Make spec what it was, or change the webhook on the platform and adopt it with a new resource.",
);

function planAbsent(pass: WebhookPass, seen: Seen): Plan<Do> {
  if (pass.goal === "stopped" || pass.id === undefined || seen.shown === "gone") return { is: "settled" };
  const limited = beyondProjects(pass, TELLS_OF_ALL);
  if (limited !== undefined) return { is: "stalled", why: limited };
  if (seen.shown === undefined || pass.supports("deleteWebhook") === "Unsupported") {
    return stalled("DeleteNotSupported", "The platform's surface has no deletion of webhooks.");
  }
  // Ids can be written by whoever may edit the object; another target may be another team's receiver.
  if (seen.shown.targetUrl !== pass.spec.targetUrl) {
    return stalled(
      "NameConflict",
      `The webhook ${pass.id} does not have the target that spec.targetUrl says, so it may not be the one that is meant; it is not deleted.`,
    );
  }
  return { is: "step", step: { repeat: "safe", op: "deleteWebhook", do: "delete" } };
}
