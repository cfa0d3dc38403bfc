import { z } from "zod";

import { connectionRef, displayName, externalId, flag, keyRef, matches, platformValue } from "../../api/fields.ts";
import { lifecycleOf } from "../../api/lifecycle.ts";
import { column, managedColumns, defineResource, SETTINGS, wide } from "../../api/resource.ts";
import { digestField, managedStatus, text, atomicList } from "../../api/status.ts";
import { altered } from "../shared/altered.ts";

/** The largest number of events of a webhook; the platform has only a few. */
export const WEBHOOK_EVENTS = 64;

/** The largest number of entries of a filter. */
const FILTERS = 64;

const events = z
  .array(
    platformValue.describe(
      "Name of an event, sent as it is. The specification has DEPLOYMENT_STARTED, DEPLOYMENT_SUCCEEDED and DEPLOYMENT_FAILED; a platform with its whole API takes DEPLOYMENT_STARTED, DEPLOYMENT_SUCCESSFUL, DEPLOYMENT_FAILURE and DEPLOYMENT_CANCELLED, and refuses the other names.",
    ),
  )
  .min(1)
  .max(WEBHOOK_EVENTS)
  .refine((names) => new Set(names).size === names.length, "must not name an event twice")
  .describe(
    "Events that are delivered, in the platform's spelling. Required with targetUrl; with receiver, all that wake a resource by default.",
  )
  .meta({ "x-kubernetes-list-type": "set" });

/** Returns the schema of a filter. @param what it selects, at the beginning of a sentence */
function filterOf(entry: z.ZodType<string>, what: string) {
  return z
    .array(entry)
    .min(1)
    .max(FILTERS)
    .optional()
    .describe(`${what} whose deployments are delivered. All when absent. Not in the specification.`)
    .meta({ "x-kubernetes-list-type": "set" });
}

const ONE_TARGET = "exactly one of targetUrl and receiver must be set";
const ONE_SECRET = "targetSecretRef needs targetUrl: with receiver, the operator has a secret of its own";
const NEEDS_EVENTS = "events must be set with targetUrl";

const spec = z
  .object({
    connectionRef: connectionRef.optional(),
    targetUrl: matches(
      /^https?:\/\/[^\s/?#]+([/?#]\S*)?$/,
      2048,
      "must be an absolute http or https URL without blanks",
    )
      .optional()
      .describe("URL of a receiver. Everything but scheme and host may be secret and is shown nowhere else."),
    receiver: z
      .literal(true)
      .optional()
      .describe(
        "The operator itself is the receiver, so that it reconciles at once what a delivery names. It composes the URL and the secret from its flag --webhook-url and the key of the installation.",
      ),
    events: events.optional(),
    enabled: flag(true, "Whether the platform sends deliveries."),
    targetSecretRef: keyRef(
      "Secret",
      "secret",
      "Secret whose value the platform sends in a header with every delivery, so that the receiver knows the sender. Not with receiver, which has a secret of its own. Not in the specification.",
    ).optional(),
    description: z.string().max(1024).optional().describe("Description. Not in the specification."),
    projectNamesFilter: filterOf(
      displayName.describe("Name of a project, case-insensitive; * stands for any text."),
      "Projects",
    ),
    environmentTypesFilter: filterOf(
      platformValue.describe("Mode of an environment in the platform's spelling, e.g. PRODUCTION."),
      "Modes of environments",
    ),
    externalId: externalId.optional(),
    lifecycle: lifecycleOf(["managementPolicy", "adoptionPolicy", "driftPolicy", "applyPolicy"], ["Retain", "Delete"]),
  })
  .refine(({ targetUrl, receiver }) => (targetUrl === undefined) !== (receiver === undefined), ONE_TARGET)
  .refine((given) => given.events !== undefined || given.receiver !== undefined, NEEDS_EVENTS)
  .refine((given) => given.targetSecretRef === undefined || given.receiver === undefined, ONE_SECRET)
  .meta({
    "x-kubernetes-validations": [
      { rule: "!has(self.targetSecretRef) || !has(self.receiver)", message: ONE_SECRET },
      { rule: "has(self.targetUrl) != has(self.receiver)", message: ONE_TARGET },
      { rule: "has(self.events) || has(self.receiver)", message: NEEDS_EVENTS },
    ],
  });

const target = text
  .optional()
  .describe(
    "Scheme and host of the receiver, as the platform has it. The rest of the URL, which may contain secrets, is not shown.",
  );
const recorded = {
  registered: digestField("the settings as last sent, which the documented surface does not return"),
  sentSecret: digestField("the value of targetSecretRef as last sent").optional(),
  altered,
};
const hasSecret = z
  .boolean()
  .describe(
    "Whether the platform was given the secret that proves a delivery to the operator: one without it is then refused.",
  );

export type WebhookMemory = z.output<typeof platformWebhook.memory>;

export const platformWebhook = defineResource({
  kind: "PlatformWebhook",
  shortNames: ["pwh"],
  description: "A receiver, or the operator itself, that the platform notifies of deployments of the organization.",
  spec,
  memory: { target, hasSecret },
  recorded,
  status: managedStatus(
    {
      hasSecret: hasSecret.optional(),
      target,
      events: atomicList(text.describe("Name of an event."), WEBHOOK_EVENTS, "Events that the platform delivers."),
      enabled: z.boolean().optional().describe("Whether the platform sends deliveries."),
      createdAt: text.optional().describe("Time of the registration."),
      updatedAt: text.optional().describe("When the platform last changed it."),
    },
    recorded,
  ),
  columns: managedColumns([
    column("Target", ".status.target", "Where the platform delivers."),
    wide("Events", ".spec.events", "Events that are delivered."),
    SETTINGS,
  ]),
});
