/** Describes webhooks as resources. Pure. */
import { shownTarget } from "../../../kinds/webhook/model.ts";
import type { Webhook } from "../../../platform/areas/webhooks.ts";
import type { ExportItem } from "./documents.ts";

const SECRET_URL =
  "Its URL may be secret and is not exported as a whole. Write it as it is on the platform, and uncomment the manifest.";
const HAS_SECRET =
  "The platform sends a secret with its deliveries, which it does not show. The secret stays unchanged until an update: set spec.targetSecretRef before you change anything.";

/** Describes a webhook of the organization. */
export function webhookItem(webhook: Webhook): ExportItem {
  const { id, targetUrl = "", events = [], enabled, description } = webhook;
  const isSecret = isSecretTarget(webhook);
  return {
    kind: "PlatformWebhook",
    id,
    preferredNames: [description ?? "", hostOf(targetUrl), `webhook ${hostOf(targetUrl)}`],
    describe: ({ connectionRef, lifecycle }) => ({
      comments: [`Webhook to ${shownTarget(targetUrl)}.`, ...(webhook.targetSecretSet === true ? [HAS_SECRET] : [])],
      obstacles: isSecret ? [SECRET_URL] : [],
      spec: {
        connectionRef,
        targetUrl: isSecret ? `${originOf(targetUrl)}/FILL-IN` : targetUrl,
        events: [...new Set(events)],
        enabled: enabled === false ? false : undefined,
        description: description || undefined,
        projectNamesFilter: filterOf(webhook.projectNamesFilter),
        environmentTypesFilter: filterOf(webhook.environmentTypesFilter),
        externalId: id,
        lifecycle,
      },
    }),
  };
}

/**
 * Reports whether a target may be a secret: with a user or a query, or of a kind other than STANDARD, as the path of a
 * chat's receiver is its key.
 */
function isSecretTarget({ targetUrl = "", kind = "STANDARD" }: Webhook): boolean {
  if (kind !== "STANDARD" || !URL.canParse(targetUrl)) return true;
  const { username, password, search } = new URL(targetUrl);
  return username !== "" || password !== "" || search !== "";
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "https://host";
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}

/** The platform returns an empty list for a filter that is not set. */
function filterOf(names: readonly string[] | undefined): readonly string[] | undefined {
  return names === undefined || names.length === 0 ? undefined : [...new Set(names)];
}
