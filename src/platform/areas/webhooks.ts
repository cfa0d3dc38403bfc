import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { create, read, write } from "../client/endpoints.ts";
import { json, jsonOrEmpty, ignoredBody, list } from "../codec/decode.ts";
import { encodeWith, nonBlank, overlay, request, uri } from "../codec/encode.ts";
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

const settings = {
  targetUrl: uri,
  /** The platform's own spelling, e.g. DEPLOYMENT_STARTED. */
  events: z.array(nonBlank).readonly(),
  enabled: z.boolean(),
};
const documentedWebhook = request(settings);
const webhookRequest = request({
  ...settings,
  /** The platform sends it unchanged with every delivery, and never returns it. */
  targetSecret: nonBlank.optional(),
});
/** The kind that delivers JSON. Deployed services require it beyond the specification; SLACK is the other one. */
const STANDARD = { kind: "STANDARD" };
const extendedWebhook = webhookRequest.transform((body) => ({ ...STANDARD, ...body }));

const webhookList = list(webhook);

export type Webhook = z.output<typeof webhook>;
export type WebhookInput = z.input<typeof webhookRequest>;

/** @returns the operations on registrations of webhooks; each function throws ApiError */
export function webhooks(caller: Caller) {
  return {
    create: create(caller, "createWebhook", webhook, documentedWebhook, extendedWebhook),
    list: read(caller, "listWebhooks", webhookList),
    get: read(caller, "getWebhook", json(webhook)),
    /** Members that `input` lacks stay as in `current`; the secret does not, as the platform never returns it. */
    update: (current: Webhook, input: WebhookInput): Promise<Webhook | undefined> =>
      caller.write("updateWebhook", [current.id], {
        body: () => overlay({ ...STANDARD, ...current.record }, encodeWith(webhookRequest, input)()),
        answer: jsonOrEmpty(webhook),
      }),
    delete: write(caller, "deleteWebhook", ignoredBody),
  };
}
