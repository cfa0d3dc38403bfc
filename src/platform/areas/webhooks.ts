import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { create, read, update, write } from "../client/endpoints.ts";
import { json, ignoredBody } from "../codec/decode.ts";
import { nonBlank, request, uri } from "../codec/encode.ts";
import { editable, optional, pathId, record } from "../codec/schema.ts";

const webhook = editable(
  record({
    id: pathId,
    kind: optional.text,
    target_url: optional.text,
    events: optional.strings,
    enabled: optional.flag,
    created_at: optional.date,
    updated_at: optional.date,
  }),
);

const webhookRequest = request({
  targetUrl: uri,
  /** The platform's own spelling, e.g. DEPLOYMENT_STARTED. */
  events: z.array(nonBlank).readonly(),
  enabled: z.boolean(),
  /** STANDARD or SLACK. Not in the spec; deployed services with the full surface require it. */
  kind: nonBlank.optional(),
  /** Full surface only: the platform sends it unchanged with every delivery, and never returns it. */
  targetSecret: nonBlank.optional(),
});

export type Webhook = z.output<typeof webhook>;

/** @returns the operations on registrations of webhooks; each function throws ApiError */
export function webhooks(caller: Caller) {
  return {
    create: create(caller, "createWebhook", webhook, webhookRequest),
    get: read(caller, "getWebhook", json(webhook)),
    update: update(caller, "updateWebhook", webhook, webhookRequest),
    delete: write(caller, "deleteWebhook", ignoredBody),
  };
}
