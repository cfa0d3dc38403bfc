/** Builds the report of a webhook. Pure. */
import {
  refreshed,
  type ConditionFact,
  type JsonObject,
  type Report,
  type StatusReason,
} from "../../engine/contract/kind.ts";
import type { Webhook } from "../../platform/areas/webhooks.ts";
import { keptAlteration } from "../shared/altered.ts";
import { settingsCondition } from "../shared/settings-synced.ts";
import { fitOptional, fitText } from "../shared/text.ts";
import { WEBHOOK_EVENTS, type WebhookMemory } from "./crd.ts";
import {
  BEYOND,
  isOutdated,
  type Observed,
  registeredNow,
  shownTarget,
  targetPath,
  wantedOf,
  type WebhookContext,
  webhookDifferences,
  webhookDrift,
  withCurrentKey,
} from "./model.ts";

export function report(context: WebhookContext, observed: Observed): Report {
  const isMine = context.identitySource === "recorded";
  const own = isMine && typeof observed.shown === "object" ? observed.shown : undefined;
  return {
    ready: ready(context, observed),
    conditions: isMine ? settingsSynced(context, observed) : [],
    status: isMine
      ? {
          ...facts(context, own),
          registered: remembered(context, observed),
          altered: altered(context, observed),
          hasSecret: context.memory.hasSecret,
          sentSecret: refreshedSecret(context),
        }
      : {},
    ...(observed.shown !== undefined && { drift: own === undefined ? [] : webhookDrift(context, own) }),
  };
}

/** Returns what was last sent. Where the platform shows no webhooks, an adopted one is assumed to match the spec. */
function remembered(context: WebhookContext, observed: Observed): WebhookMemory["registered"] {
  if (context.memory.registered !== undefined) return registeredNow(context);
  return observed.shown === undefined ? context.inputs.settings : undefined;
}

/** Returns the memory of what the last update left. Only a read after the update can clear it. */
function altered(context: WebhookContext, { shown, sent }: Observed): WebhookMemory["altered"] {
  if (sent || typeof shown !== "object") return context.memory.altered;
  return keptAlteration(withCurrentKey(context), webhookDifferences(context, shown));
}

/** Reports settings that cannot be sent, which are known as a whole. A webhook that is shown can be updated. */
function settingsSynced(context: WebhookContext, { shown }: Observed): readonly ConditionFact[] {
  if (shown !== undefined || !isOutdated(context)) return [];
  const updated = { noun: "webhook", plural: "webhooks", update: "updateWebhook", isShown: false } as const;
  const { spec } = context;
  const more = [...BEYOND, "targetSecretRef" as const].filter((name) => spec[name] !== undefined);
  const paths = [targetPath(context), "spec.events", "spec.enabled", ...more.map((name) => `spec.${name}`)];
  return settingsCondition(context, paths, updated);
}

/** Returns the memory of the secret that was sent last, to be compared by the key of today. */
function refreshedSecret({ memory: { sentSecret }, inputs: { secret } }: WebhookContext): WebhookMemory["sentSecret"] {
  return secret === undefined ? sentSecret : refreshed(sentSecret, secret.fingerprint);
}

/** Returns what the platform shows; where it shows nothing, the target that was sent last. */
function facts(context: WebhookContext, own: Webhook | undefined): JsonObject {
  if (own === undefined) {
    const { targetUrl } = wantedOf(context);
    const isSent = targetUrl !== undefined && !isOutdated(context);
    return { target: isSent ? shownTarget(targetUrl) : context.memory.target };
  }
  return {
    target: shownTarget(own.targetUrl),
    events: (own.events ?? []).slice(0, WEBHOOK_EVENTS).map((name) => fitText(name)),
    enabled: own.enabled,
    createdAt: fitOptional(own.createdAt),
    updatedAt: fitOptional(own.updatedAt),
  };
}

function ready(context: WebhookContext, { shown }: Observed): StatusReason {
  if (typeof shown === "object") return { reason: "Available", message: delivers(shown.targetUrl, shown.enabled) };
  const { spec, isFull } = context;
  if (shown === undefined && spec.externalId !== undefined) {
    const message = "The webhook was adopted; the platform's surface does not show whether it exists.";
    return { reason: "NotObservable", message };
  }
  const what = isOutdated(context)
    ? "The webhook is registered as it was sent last."
    : delivers(wantedOf(context).targetUrl, spec.enabled);
  if (isFull) return { reason: "Available", message: what };
  const message = `${what} The platform's surface does not show webhooks, so changes made there are not seen.`;
  return { reason: "Available", message };
}

/** @param isEnabled true where the platform does not say */
function delivers(targetUrl: string | undefined, isEnabled = true): string {
  return isEnabled ? `The platform delivers to ${shownTarget(targetUrl)}.` : "The webhook is registered and disabled.";
}
