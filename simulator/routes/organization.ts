import { z } from "zod";

import { Problem } from "../base/problems.ts";
import { bornNow } from "../model/creation.ts";
import type { Webhook } from "../model/world.ts";
import { checkOrganization, findWebhook } from "../request/lookups.ts";
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
  // Of deployed services, which want it always; the documentation shows none.
  kind: z.enum(["STANDARD", "SLACK"]).optional(),
});

const KEEPS = safe("target_url", "events", "enabled", "kind");

export const organizationRoutes = [
  route({
    operation: "downloadInvoices",
    input: { params: OrganizationPath },
    answer: Nothing,
    handle({ params }, call) {
      checkOrganization(call, params.organizationId);
      call.effect({ mailed: params.organizationId });
      return {};
    },
  }),
  route({
    operation: "listGithubRepositories",
    input: { params: OrganizationPath, query: z.object({ gitTokenId: Id.optional() }) },
    answer: listOf(
      z.object({
        id: z.string(),
        name: z.string(),
        url: z.string(),
        default_branch: z.string(),
        is_private: z.boolean(),
      }),
    ),
    handle({ params, query }, call) {
      checkOrganization(call, params.organizationId);
      const { gitTokenId: token } = query;
      const own = call.sim.world.repositories.filter((each) => each.organizationId === params.organizationId);
      if (token !== undefined && !own.some((each) => each.gitTokenId === token)) {
        throw new Problem(404, "No such git token");
      }
      const listed = own.filter((each) => token === undefined || each.gitTokenId === null || each.gitTokenId === token);
      const results = listed.map(({ id, name, url, defaultBranch, private: isPrivate }) => ({
        id,
        name,
        url,
        default_branch: defaultBranch,
        is_private: isPrivate,
      }));
      return { body: { results } };
    },
  }),
  route({
    operation: "createWebhook",
    keeps: KEEPS,
    input: { params: OrganizationPath, body: WebhookBody },
    answer: WebhookAnswer,
    handle({ params, body }, call) {
      checkOrganization(call, params.organizationId);
      const webhook: Webhook = {
        ...bornNow(call.sim),
        id: call.sim.ids.uuid(),
        organizationId: params.organizationId,
        ...contentOf(body),
      };
      call.sim.world.webhooks.set(webhook.id, webhook);
      call.sim.deliveries.kick();
      call.effect({ created: webhook.id });
      return { body: showWebhook(webhook) };
    },
  }),
  route({
    operation: "getWebhook",
    input: { params: WebhookPath },
    answer: WebhookAnswer,
    handle: ({ params }, call) => ({
      body: showWebhook(findWebhook(call, params.organizationId, params.webhookId)),
    }),
  }),
  route({
    operation: "updateWebhook",
    keeps: KEEPS,
    input: { params: WebhookPath, body: WebhookBody },
    answer: WebhookAnswer,
    handle({ params, body }, call) {
      const webhook = findWebhook(call, params.organizationId, params.webhookId);
      Object.assign(webhook, contentOf(body), { updatedAt: bornNow(call.sim).updatedAt });
      call.effect({ updated: webhook.id });
      return { body: showWebhook(webhook) };
    },
  }),
  route({
    operation: "deleteWebhook",
    input: { params: WebhookPath },
    answer: Nothing,
    handle({ params }, call) {
      const webhook = findWebhook(call, params.organizationId, params.webhookId);
      call.sim.world.webhooks.delete(webhook.id);
      call.sim.world.graves.set(webhook.id, webhook.organizationId);
      call.effect({ deleted: webhook.id });
      return {};
    },
  }),
];

function contentOf(body: z.output<typeof WebhookBody>): Pick<Webhook, "targetUrl" | "events" | "enabled" | "settings"> {
  const { target_url: targetUrl, events, enabled, ...settings } = body;
  return { targetUrl, events, enabled, settings };
}
