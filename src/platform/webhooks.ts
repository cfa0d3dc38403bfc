import type { z } from "zod";

import type { Caller, ReadOptions } from "./caller.ts";
import { created, json, maybe, nothing } from "./decode.ts";
import type { Created } from "./decode.ts";
import { overlay } from "./overlay.ts";
import { date, editable, flag, record, strings, text, uuid } from "./schema.ts";

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

export type Webhook = z.output<typeof webhook>;

export interface WebhookInput {
  readonly targetUrl: string;
  /** The platform's own spelling, e.g. DEPLOYMENT_STARTED. */
  readonly events: readonly string[];
  readonly enabled: boolean;
}

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
  const body = ({ targetUrl, events, enabled }: WebhookInput) => ({ target_url: targetUrl, events, enabled });
  return {
    create: (input) =>
      caller.write(
        "createWebhook",
        {},
        // Deployed services require the kind, which the spec does not show.
        { body: { kind: "STANDARD", ...body(input) }, answer: created(webhook) },
      ),
    get: (webhookId, options) => caller.read("getWebhook", { webhookId }, { answer: json(webhook), ...options }),
    update: (current, input) =>
      caller.write(
        "updateWebhook",
        { webhookId: current.id },
        { body: overlay(current.record, body(input)), answer: maybe(webhook) },
      ),
    delete: (webhookId) => caller.write("deleteWebhook", { webhookId }, { answer: nothing }),
  };
}
