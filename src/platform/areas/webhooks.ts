import { z } from "zod";

import type { Caller, ReadOptions } from "../client/caller.ts";
import { created, json, maybe, nothing } from "../codec/decode.ts";
import type { Created } from "../codec/decode.ts";
import { folded, sent } from "../codec/encode.ts";
import { overlay } from "../codec/overlay.ts";
import { filled, request, uri } from "../codec/request-schema.ts";
import { date, editable, flag, record, strings, text, uuid } from "../codec/schema.ts";

const webhook = editable(
  record({
    id: uuid,
    kind: text,
    target_url: text,
    events: strings,
    enabled: flag,
    created_at: date,
    updated_at: date,
  }),
);

const webhookRequest = request({
  targetUrl: uri,
  /** The platform's own spelling, e.g. DEPLOYMENT_STARTED. */
  events: z.array(filled).readonly(),
  enabled: z.boolean(),
  /** Of the full surface, where deployed services require it: STANDARD or SLACK. The spec does not show it. */
  kind: filled.optional(),
  /** Full surface: sent with every delivery as it is, and never returned. */
  targetSecret: filled.optional(),
});

export type Webhook = z.output<typeof webhook>;
export type WebhookInput = z.input<typeof webhookRequest>;

export interface Webhooks {
  create(input: WebhookInput): Promise<Created<Webhook>>;
  /** Full surface. */
  get(webhookId: string, options?: ReadOptions): Promise<Webhook>;
  /** Full surface. Undefined when the answer has no body. */
  update(current: Webhook, input: WebhookInput): Promise<Webhook | undefined>;
  /** Full surface. */
  delete(webhookId: string): Promise<void>;
}

export function webhooks(caller: Caller): Webhooks {
  return {
    create: (input) =>
      caller.write("createWebhook", {}, { body: sent(webhookRequest, input), answer: created(webhook) }),
    get: (webhookId, options) => caller.read("getWebhook", { webhookId }, { answer: json(webhook), ...options }),
    update: (current, input) =>
      caller.write(
        "updateWebhook",
        { webhookId: current.id },
        { body: folded(sent(webhookRequest, input), (body) => overlay(current.record, body)), answer: maybe(webhook) },
      ),
    delete: (webhookId) => caller.write("deleteWebhook", { webhookId }, { answer: nothing }),
  };
}
