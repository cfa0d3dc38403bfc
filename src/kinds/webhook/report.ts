/** Builds the report of a webhook. Pure. */
import { type ConditionFact, type JsonObject, refreshed, type Report, type Why } from "../../engine/contract/kind.ts";
import type { Webhook } from "../../platform/areas/webhooks.ts";
import { keptAlteration } from "../shared/altered.ts";
import { settingsCondition } from "../shared/settings-synced.ts";
import { fitOptional, fitText } from "../shared/text.ts";
import { WEBHOOK_EVENTS, type WebhookMemory } from "./crd.ts";
import {
  isOutdated,
  type Observed,
  shownTarget,
  type WebhookContext,
  webhookDifferences,
  webhookDrift,
  withCurrentKey,
} from "./model.ts";

export function report(context: WebhookContext, observed: Observed): Report {
  const isMine = context.identitySource === "recorded";
  const mine = isMine && typeof observed.shown === "object" ? observed.shown : undefined;
  return {
    ready: ready(context, observed),
    conditions: isMine ? settingsSynced(context, observed) : [],
    status: isMine
      ? { ...facts(context, mine), registered: remembered(context, observed), altered: altered(context, observed) }
      : {},
    ...(observed.shown !== undefined && { drift: mine === undefined ? [] : webhookDrift(context.spec, mine) }),
  };
}

/** Returns what was last sent. Where the platform shows no webhooks, an adopted one is assumed to match the spec. */
function remembered({ memory, inputs }: WebhookContext, observed: Observed): WebhookMemory["registered"] {
  if (memory.registered !== undefined) return refreshed(memory.registered, inputs.settings);
  return observed.shown === undefined ? inputs.settings : undefined;
}

/** Returns the memory of what the last update left. Only a read after the update can clear it. */
function altered(context: WebhookContext, { shown, sent }: Observed): WebhookMemory["altered"] {
  if (sent || typeof shown !== "object") return context.memory.altered;
  return keptAlteration(withCurrentKey(context), webhookDifferences(context.spec, shown));
}

/** The members of the spec that a registration consists of. Where the platform shows none, they are known as a whole. */
const SETTINGS = ["spec.targetUrl", "spec.events", "spec.enabled"];

/** Reports settings that cannot be sent. A webhook that is shown can be updated. */
function settingsSynced(context: WebhookContext, { shown }: Observed): readonly ConditionFact[] {
  if (shown !== undefined || !isUnsent(context)) return [];
  const updated = { noun: "webhook", plural: "webhooks", update: "updateWebhook", isShown: false } as const;
  return settingsCondition(context, SETTINGS, updated);
}

/** Reports whether the spec is not what was sent last. */
function isUnsent({ memory, inputs }: WebhookContext): boolean {
  return isOutdated(memory.registered, inputs.settings);
}

/** Returns what the platform shows; where it shows nothing, the target that was sent last. */
function facts(context: WebhookContext, mine: Webhook | undefined): JsonObject {
  const { spec, memory } = context;
  if (mine === undefined) return { target: isUnsent(context) ? memory.target : shownTarget(spec.targetUrl) };
  return {
    target: shownTarget(mine.targetUrl),
    events: (mine.events ?? []).slice(0, WEBHOOK_EVENTS).map((name) => fitText(name)),
    enabled: mine.enabled,
    createdAt: fitOptional(mine.createdAt),
    updatedAt: fitOptional(mine.updatedAt),
  };
}

function ready(context: WebhookContext, { shown }: Observed): Why {
  if (typeof shown === "object") return { reason: "Available", message: delivers(shown.targetUrl, shown.enabled) };
  const { spec, isFull } = context;
  if (shown === undefined && spec.externalId !== undefined) {
    const message = "The webhook was adopted; the platform's surface does not show whether it exists.";
    return { reason: "NotObservable", message };
  }
  const what = isUnsent(context)
    ? "The webhook is registered as it was sent last."
    : delivers(spec.targetUrl, spec.enabled);
  if (isFull) return { reason: "Available", message: what };
  const message = `${what} The platform's surface does not show webhooks, so changes made there are not seen.`;
  return { reason: "Available", message };
}

/** @param isEnabled true where the platform does not say */
function delivers(targetUrl: string | undefined, isEnabled = true): string {
  return isEnabled ? `The platform delivers to ${shownTarget(targetUrl)}.` : "The webhook is registered and disabled.";
}
