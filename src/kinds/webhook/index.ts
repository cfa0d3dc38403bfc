/** PlatformWebhook: registered, with its target, its events, and whether it delivers. */
import {
  isChangedAtSource,
  type Kind,
  type Plan,
  sameContent,
  type Uuid,
  type StatusReason,
} from "../../engine/contract/kind.ts";
import { alterationOf, isAltered } from "../shared/altered.ts";
import { firstOf, stalled, safely, once } from "../shared/checks.ts";
import { nameMark } from "../shared/create-trace.ts";
import { beyondProjects, unprovenId } from "../shared/limits.ts";
import { alreadyManaged, reasonDeleted, reasonNotShown } from "../shared/names.ts";
import { listOnFull } from "../shared/surface.ts";
import { platformWebhook } from "./crd.ts";
import {
  type Action,
  BEYOND,
  isOutdated,
  isOwnTarget,
  isSecretUnsent,
  lacksSecret,
  ofTarget,
  type Observed,
  readRegistration,
  SECRET_FIELD,
  shownTarget,
  textOf,
  wantedOf,
  type WebhookContext,
  webhookDifferences,
  type WebhookTypes,
  withCurrentKey,
} from "./model.ts";
import { report } from "./report.ts";
import { act, trace } from "./requests.ts";

export const webhook: Kind<WebhookTypes> = {
  resource: platformWebhook,
  claim: (spec) => spec.externalId,
  operations: () => ({ delete: ["getWebhook", "deleteWebhook"] }),
  needs: ({ targetUrl, receiver: isReceiver, targetSecretRef, events = [], enabled, ...spec }) => ({
    references: [],
    values: targetSecretRef === undefined ? [] : [{ field: SECRET_FIELD, from: "Secret", ...targetSecretRef }],
    inputs: (resolved) => {
      const receiver = isReceiver && resolved.receiver();
      const target = receiver === undefined ? (targetUrl ?? null) : [urlOf(receiver.url), receiver.secret];
      const value = targetSecretRef && resolved.value(SECRET_FIELD);
      const more = BEYOND.map((name) => [name, textOf(spec[name]) ?? null]);
      return {
        receiver,
        secret: value === undefined ? undefined : { value, fingerprint: resolved.fingerprint(value) },
        settings: resolved.fingerprint({
          target,
          events: [...events].toSorted(),
          enabled,
          more: [...more, ["secret", value ?? null]],
        }),
      };
    },
  }),

  remote: { operation: "getWebhook", read: (api, id) => api.webhooks.get(id) },
  listable: (isFull) => isFull,
  observe: async (context, api) => {
    const { id, goal } = context;
    const isSought = id === undefined && goal === "present";
    return {
      shown: id === undefined ? undefined : await readRegistration(context, api, id),
      listed: isSought ? await listOnFull(context, api, () => api.webhooks.list()) : undefined,
      serverNow: api.serverNow(),
      sent: false,
    };
  },

  shows: (_step, _context, observed) => typeof observed.shown === "object",
  plan,

  act,
  trace,
  report,
};

function plan(given: WebhookContext, observed: Observed): Plan<Action> {
  const context = withCurrentKey(given);
  const { id, goal } = context;
  if (goal === "stopped" || (goal === "absent" && (id === undefined || observed.shown === "gone")))
    return { is: "settled" };
  const limited = beyondProjects(context, "a webhook is notified of deployments in all projects");
  if (limited !== undefined) return { is: "stalled", why: limited };
  if (goal === "absent") return planRemoval(context, observed);
  const url = context.inputs.receiver?.url;
  if (typeof url === "object") return { is: "stalled", why: url };
  if (id === undefined) return planNew(context, observed);
  const refused = refusal(context, observed, id);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (context.identitySource !== "recorded") return { is: "adopt", id };
  return firstOf(context, [() => checkSettings(context, observed)]);
}

function planNew(context: WebhookContext, { listed, serverNow }: Observed): Plan<Action> {
  const { adoption } = context.policies;
  const { targetUrl } = wantedOf(context);
  const target = shownTarget(targetUrl);
  const [first, ...others] = adoption === "Never" ? [] : ofTarget(context, listed ?? []);
  if (others.length > 0) {
    const message = `There are ${others.length + 1} webhooks to ${target} on the platform. Set spec.externalId to the right one.`;
    return stalled("DuplicateRemote", message);
  }
  if (first !== undefined) return { is: "adopt", id: first.id };
  if (adoption === "Required") {
    const why = listed === undefined ? "the platform has no list to find one in" : "there is none with this target";
    const message = `adoptionPolicy Required forbids the creation of a webhook, and ${why}. Set spec.externalId.`;
    return { is: "waiting", why: { reason: "DependencyNotReady", message } };
  }
  const why: StatusReason = { reason: "Creating", message: `Registering a webhook to ${target}.` };
  const mark = listed && { ...nameMark(serverNow, listed), target: context.records.fingerprint(targetUrl ?? "") };
  return once("createWebhook", "create", why, { creates: true, mark: mark ?? null, name: target });
}

/**
 * Returns why an id must not be used. A webhook that the platform shows belongs to the organization, as its path names
 * the organization.
 */
function refusal(context: WebhookContext, observed: Observed, id: Uuid): StatusReason | undefined {
  const recorded = context.identitySource === "recorded";
  if (observed.shown === "gone") {
    return recorded
      ? reasonDeleted("webhook", id, false)
      : reasonNotShown(context, { noun: "webhook", name: "", id, where: "the organization" });
  }
  const holder = context.records.holderOf(id);
  if (holder !== undefined) return alreadyManaged(id, holder);
  const isProven = recorded || context.identitySource === "orphaned" || typeof observed.shown === "object";
  return isProven ? undefined : unprovenId(context, `webhook ${id}`);
}

/**
 * Returns the update, if the settings differ and the platform has one. They are sent once in a reconcile: a value that
 * the platform stores differently is reported as drift and does not cause another update.
 */
function checkSettings(context: WebhookContext, { shown, sent }: Observed): Plan<Action> | undefined {
  if (typeof shown !== "object" || sent) return undefined;
  const message = "Update target, events and state of the webhook.";
  if (isSecretUnsent(context)) {
    const { inputs, memory } = context;
    const follows = inputs.secret !== undefined && isChangedAtSource(memory.sentSecret, inputs.secret.fingerprint);
    return safely("updateWebhook", "update", { follows, message: "Send the secret of the webhook." });
  }
  // The secret, and the URL of the operator's receiver, follow from the operator's settings and the surface.
  const follows = lacksSecret(context) || (context.inputs.receiver !== undefined && isOutdated(context));
  if (follows) return safely("updateWebhook", "update", { follows, message });
  const differences = webhookDifferences(context, shown);
  if (differences.length === 0 || isAltered(context, differences)) return undefined;
  return safely("updateWebhook", "update", { corrects: true, message });
}

function planRemoval(context: WebhookContext, { shown: own }: Observed): Plan<Action> {
  const { id, memory, isFull } = context;
  if (typeof own !== "object" || !isFull)
    return stalled("DeleteNotSupported", "The platform's surface has no deletion of webhooks.");
  // Anyone who may edit the resource can write the id; another target may be another team's receiver.
  const isKnown =
    memory.altered && sameContent(memory.altered, alterationOf(context, webhookDifferences(context, own)));
  if (!isOwnTarget(context, own.targetUrl) && isKnown !== true) {
    const message = `The webhook ${id} has another target than the spec, so it may not be the intended one; it is not deleted.`;
    return stalled("NameConflict", message);
  }
  return safely("deleteWebhook", "delete");
}

/** Returns the URL for the fingerprint; a text that is no URL while there is none. */
function urlOf(url: string | StatusReason): string {
  return typeof url === "string" ? url : "";
}
