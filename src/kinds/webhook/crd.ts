import { z } from "zod";

import { connectionRef, externalId, flag, platformValue, matches } from "../../api/fields.ts";
import { lifecycleOf } from "../../api/lifecycle.ts";
import { column, livingColumns, defineResource, SETTINGS } from "../../api/resource.ts";
import { digestField, livingStatus, text, atomicList } from "../../api/status.ts";
import { altered } from "../shared/altered.ts";

/** The largest number of events of a webhook; the platform has only a few. */
export const WEBHOOK_EVENTS = 64;

const events = z
  .array(platformValue.describe("Name of an event in the platform's spelling, e.g. DEPLOYMENT_FAILED."))
  .min(1)
  .max(WEBHOOK_EVENTS)
  .refine((names) => new Set(names).size === names.length, "must not name an event twice")
  .describe("Events that are delivered, in the platform's spelling.")
  .meta({ "x-kubernetes-list-type": "set" });

const spec = z.object({
  connectionRef: connectionRef.optional(),
  targetUrl: matches(
    /^https?:\/\/[^\s/?#]+([/?#]\S*)?$/,
    2048,
    "must be an absolute http or https URL without blanks",
  ).describe("URL of the receiver. Everything but scheme and host may be secret and is shown nowhere else."),
  events,
  enabled: flag(true, "Whether the platform sends deliveries."),
  externalId: externalId.optional(),
  lifecycle: lifecycleOf(["managementPolicy", "driftPolicy", "applyPolicy"], ["Retain", "Delete"]),
});

const target = text
  .optional()
  .describe(
    "Scheme and host of the receiver, as the platform has it. The rest of the URL, which may contain secrets, is not shown.",
  );
const registered = digestField("the settings as last sent, which the documented surface does not return");

export type WebhookMemory = z.output<typeof platformWebhook.memory>;

export const platformWebhook = defineResource({
  kind: "PlatformWebhook",
  shortNames: ["pwh"],
  description: "A receiver that the platform notifies of deployments of the organization.",
  spec,
  memory: { registered, altered, target },
  status: livingStatus({
    registered: registered.optional(),
    altered,
    target,
    events: atomicList(text.describe("Name of an event."), WEBHOOK_EVENTS, "Events that the platform delivers."),
    enabled: z.boolean().optional().describe("Whether the platform sends deliveries."),
    createdAt: text.optional().describe("Time of the registration."),
    updatedAt: text.optional().describe("When the platform last changed it."),
  }),
  columns: livingColumns([
    column("Target", ".status.target", "Where the platform delivers."),
    column("Events", ".spec.events", "Events that are delivered."),
    SETTINGS,
  ]),
});
