/** Builds the report of a webhook. Pure. */
import { type JsonObject, refreshed, type Report, type Why } from "../../engine/contract/kind.ts";
import type { Webhook } from "../../platform/areas/webhooks.ts";
import { keptAlteration } from "../shared/altered.ts";
import { fitOptional, fitText } from "../shared/text.ts";
import { WEBHOOK_EVENTS, type WebhookMemory } from "./crd.ts";
import {
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
    conditions: [],
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

/** Returns what the platform shows; where it shows nothing, the target of the spec. */
function facts({ spec }: WebhookContext, mine: Webhook | undefined): JsonObject {
  if (mine === undefined) return { target: shownTarget(spec.targetUrl) };
  return {
    target: shownTarget(mine.targetUrl),
    events: (mine.events ?? []).slice(0, WEBHOOK_EVENTS).map((name) => fitText(name)),
    enabled: mine.enabled,
    createdAt: fitOptional(mine.createdAt),
    updatedAt: fitOptional(mine.updatedAt),
  };
}

function ready(context: WebhookContext, { shown }: Observed): Why {
  if (shown !== undefined || context.spec.externalId === undefined)
    return { reason: "Available", message: readyMessage(context) };
  const message = "The webhook was adopted; the platform's surface does not show whether it exists.";
  return { reason: "NotObservable", message };
}

function readyMessage({ spec, isFull }: WebhookContext): string {
  const what = spec.enabled
    ? `The platform delivers to ${shownTarget(spec.targetUrl)}.`
    : "The webhook is registered and disabled.";
  return isFull ? what : `${what} Its surface does not show webhooks, so changes made there are not seen.`;
}
