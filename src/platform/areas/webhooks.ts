import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { create, read, write } from "../client/endpoints.ts";
import { json, jsonOrEmpty, ignoredBody, list } from "../codec/decode.ts";
import { encodeWith, nonBlank, overlay, request, uri, wellFormed } from "../codec/encode.ts";
import { editable, optional, pathId, record } from "../codec/schema.ts";

const webhook = editable(
  record({
    id: pathId,
    kind: optional.text,
    target_url: optional.text,
    events: optional.strings,
    enabled: optional.flag,
    /** Of the secret the platform shows only that it has one. */
    target_secret_set: optional.flag,
    description: optional.text,
    project_names_filter: optional.strings,
    environment_types_filter: optional.strings,
    created_at: optional.date,
    updated_at: optional.date,
  }),
);

const settings = {
  targetUrl: uri,
  /** The platform's own spelling, e.g. DEPLOYMENT_STARTED. */
  events: z.array(nonBlank).readonly(),
  enabled: z.boolean(),
  // Beyond the specification.
  /** The platform sends it unchanged with every delivery, and never returns it. */
  targetSecret: nonBlank.optional(),
  description: wellFormed.optional(),
  /** Names of projects, with wildcards. */
  projectNamesFilter: z.array(nonBlank).readonly().optional(),
  /** In the platform's own spelling, e.g. PRODUCTION. */
  environmentTypesFilter: z.array(nonBlank).readonly().optional(),
};
const webhookRequest = request(settings);
/** The kind that delivers JSON. Deployed services require it beyond the specification; SLACK is the other one. */
const STANDARD = { kind: "STANDARD" };
const extendedWebhook = webhookRequest.transform((body) => ({ ...STANDARD, ...body }));

const webhookList = list(webhook);

export type Webhook = z.output<typeof webhook>;
export type WebhookInput = z.input<typeof webhookRequest>;

/** @returns the operations on registrations of webhooks; each function throws ApiError */
export function webhooks(caller: Caller) {
  return {
    create: create(caller, "createWebhook", webhook, webhookRequest, extendedWebhook),
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
