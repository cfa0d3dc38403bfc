import { z } from "zod";

import { createdNow } from "../model/creation.ts";
import { checkOrganization, findWebhook, listed } from "../request/lookups.ts";
import { safe } from "../request/masks.ts";
import { showWebhook } from "../request/render.ts";
import { route } from "../request/route.ts";
import { Id, listOf, Nothing, Webhook as WebhookAnswer } from "../request/schemas.ts";

const OrganizationPath = z.object({ organizationId: Id });
const WebhookPath = z.object({ organizationId: Id, webhookId: Id });
const WebhookBody = z.looseObject({
  target_url: z.url({ protocol: /^https?$/ }),
  events: z.array(z.string().regex(/^[A-Z][A-Z0-9_]*$/)).min(1),
  enabled: z.boolean().default(true),
  // Deployed services always require it; the documentation does not show it.
  kind: z.enum(["STANDARD", "SLACK"]).optional(),
});
const KEEPS = safe(
  "target_url",
  "events",
  "enabled",
  "kind",
  "description",
  "project_names_filter",
  "environment_types_filter",
);

function contentOf({ target_url: targetUrl, events, enabled, ...settings }: z.output<typeof WebhookBody>) {
  return { targetUrl, events, enabled, settings };
}

export const webhookRoutes = [
  route({
    operation: "createWebhook",
    keeps: KEEPS,
    input: { params: OrganizationPath, body: WebhookBody },
    answer: WebhookAnswer,
    handle({ params: { organizationId }, body }, call) {
      checkOrganization(call, organizationId);
      const { sim } = call;
      const webhook = { ...contentOf(body), ...createdNow(sim), id: sim.ids.uuid(), organizationId };
      sim.world.webhooks.set(webhook.id, webhook);
      sim.deliveries.kick();
      call.effect({ created: webhook.id });
      return { body: showWebhook(webhook) };
    },
  }),
  route({
    operation: "listWebhooks",
    input: { params: OrganizationPath },
    answer: listOf(WebhookAnswer),
    handle({ params: { organizationId } }, call) {
      checkOrganization(call, organizationId);
      const own = [...call.sim.world.webhooks.values()].filter((webhook) => webhook.organizationId === organizationId);
      return { body: { results: listed(call, own).map(showWebhook) } };
    },
  }),
  route({
    operation: "getWebhook",
    input: { params: WebhookPath },
    answer: WebhookAnswer,
    handle: ({ params }, call) => ({ body: showWebhook(findWebhook(call, params.organizationId, params.webhookId)) }),
  }),
  route({
    operation: "updateWebhook",
    keeps: KEEPS,
    input: { params: WebhookPath, body: WebhookBody },
    answer: WebhookAnswer,
    handle({ params, body }, call) {
      const webhook = findWebhook(call, params.organizationId, params.webhookId);
      Object.assign(webhook, contentOf(body), { updatedAt: createdNow(call.sim).updatedAt });
      call.effect({ updated: webhook.id });
      return { body: showWebhook(webhook) };
    },
  }),
  route({
    operation: "deleteWebhook",
    input: { params: WebhookPath },
    answer: Nothing,
    handle({ params }, call) {
      const { id, organizationId } = findWebhook(call, params.organizationId, params.webhookId);
      call.sim.world.webhooks.delete(id);
      call.sim.world.deletedIds.set(id, organizationId);
      call.effect({ deleted: id });
      return {};
    },
  }),
];
