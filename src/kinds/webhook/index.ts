/** PlatformWebhook: registered, with its target, its events, and whether it delivers. */
import { refreshed, type JsonObject, type Known, type Why, type Kind } from "../../engine/contract/kind.ts";
import type { Webhook } from "../../platform/areas/webhooks.ts";
import type { Platform } from "../../platform/index.ts";
import { takesMore } from "../shared/answers.ts";
import { fit, fitOptional } from "../shared/text.ts";
import { platformWebhook, WEBHOOK_EVENTS, type WebhookMemory, type WebhookSpec } from "./crd.ts";
import { type Seen, type WebhookContext, type WebhookTypes, driftOf, KIND, shown, shownTarget } from "./model.ts";
import { plan } from "./plan.ts";

export const webhook: Kind<WebhookTypes> = {
  resource: platformWebhook,
  externalLifecycle: true,
  claim: (spec) => spec.externalId,
  operations: () => ({ update: ["getWebhook", "updateWebhook"], delete: ["getWebhook", "deleteWebhook"] }),
  needs: ({ targetUrl, events, enabled }) => ({
    references: [],
    values: [],
    inputs: (resolved) => ({
      settings: resolved.fingerprint({ targetUrl, events: [...events].toSorted(), enabled }),
    }),
  }),

  observe: async (context, api) => {
    return { shown: context.id === undefined ? undefined : await shown(api, context.id), sent: false };
  },

  shows: (_step, _pass, seen) => typeof seen.shown === "object",
  plan,

  act: async ({ do: what }, context, seen, api) => {
    if (what === "create") return await create(context, api);
    if (what === "delete") {
      await api.webhooks.delete(context.id ?? "");
      return { seen: { ...seen, shown: "gone" }, memory: context.memory };
    }
    if (seen.shown === undefined || seen.shown === "gone") return { seen, memory: context.memory };
    const updated = await api.webhooks.update(seen.shown, inputOf(context.spec));
    const next = { ...seen.shown, ...inputOf(context.spec), ...updated };
    return { seen: { shown: next, sent: true }, memory: { ...context.memory, registered: context.inputs.settings } };
  },

  trace: (_intent, context) => Promise.resolve({ is: "unknowable", why: unknown(context) }),

  report: (context, seen) => {
    const mine = context.identitySource === "recorded" && typeof seen.shown === "object" ? seen.shown : undefined;
    return {
      ready: { reason: "Available", message: readyMessage(context) },
      conditions: [],
      status:
        context.identitySource === "recorded" ? { ...facts(context, mine), registered: remembered(context, seen) } : {},
      ...(seen.shown !== undefined && { drift: mine === undefined ? [] : driftOf(context.spec, mine) }),
    };
  },
};

async function create(context: WebhookContext, api: Platform): Promise<Known<Seen, WebhookMemory>> {
  const isShown = context.supports("getWebhook") === "Supported";
  const made = await api.webhooks.create({ ...inputOf(context.spec), ...(takesMore(context) && { kind: KIND }) });
  return {
    // Where the answer shows less than a read does, what was sent is taken to be there.
    seen: { shown: isShown ? { ...inputOf(context.spec), ...made } : undefined, sent: true },
    memory: { ...context.memory, registered: context.inputs.settings },
    id: made.id,
  };
}

function inputOf({ targetUrl, events, enabled }: WebhookSpec) {
  return { targetUrl, events: [...events], enabled };
}

/** What was last sent. Of what was taken over where nothing can be read, the spec is believed to be there. */
function remembered({ memory, inputs }: WebhookContext, seen: Seen): WebhookMemory["registered"] {
  if (memory.registered !== undefined) return refreshed(memory.registered, inputs.settings);
  return seen.shown === undefined ? inputs.settings : undefined;
}

/** What the platform shows; where it shows nothing, the spec as long as it is what was sent. */
function facts({ spec }: WebhookContext, mine: Webhook | undefined): JsonObject {
  if (mine === undefined) return { target: shownTarget(spec.targetUrl) };
  return {
    target: shownTarget(mine.targetUrl),
    events: (mine.events ?? []).slice(0, WEBHOOK_EVENTS).map((name) => fit(name)),
    enabled: mine.enabled,
    createdAt: fitOptional(mine.createdAt),
    updatedAt: fitOptional(mine.updatedAt),
  };
}

function readyMessage({ spec, supports }: WebhookContext): string {
  const what = spec.enabled
    ? `The platform delivers to ${shownTarget(spec.targetUrl)}.`
    : "The webhook is registered and disabled.";
  return supports("getWebhook") === "Supported"
    ? what
    : `${what} Its surface does not show webhooks, so changes made there are not seen.`;
}

function unknown({ supports }: WebhookContext): Why {
  const needed =
    supports("getWebhook") === "Supported" ? "" : " (if the connection lets such ids stand: spec.allowUnverifiedIds)";
  return {
    reason: "CreateResultUnknown",
    message: `The platform did not confirm the webhook, and its surface has no list to look it up in. Look on the platform: if it exists, set spec.externalId${needed}; if not, annotate this resource with platform-operator.io/resolve=recreate.`,
  };
}
