/** Sends the requests of a webhook, and finds out later whether one was registered. */
import {
  type ActionResult,
  type Fingerprint,
  type Json,
  type OpenIntent,
  sameContent,
  type StatusReason,
  type Step,
  type Trace,
} from "../../engine/contract/kind.ts";
import type { Webhook } from "../../platform/areas/webhooks.ts";
import type { Platform } from "../../platform/index.ts";
import { alterationOf } from "../shared/altered.ts";
import { readAfterWrite } from "../shared/answers.ts";
import { baseline, idsBefore, notCreated } from "../shared/create-trace.ts";
import { readOnFull } from "../shared/surface.ts";
import { platformWebhook, type WebhookMemory } from "./crd.ts";
import {
  type Action,
  inputOf,
  type Observed,
  readRegistration,
  secretOf,
  sentMemory,
  shownTarget,
  wantedOf,
  type WebhookContext,
  webhookDifferences,
} from "./model.ts";

type Result = ActionResult<Observed, WebhookMemory>;

/** Sends the request of a step. @throws ApiError */
export async function act(
  { action: what }: Step<Action>,
  context: WebhookContext,
  observed: Observed,
  api: Platform,
): Promise<Result> {
  if (what === "create") return await create(context, api);
  if (what === "delete") {
    await api.webhooks.delete(context.id ?? "");
    return { observed: { ...observed, shown: "gone" }, memory: context.memory };
  }
  if (observed.shown === undefined || observed.shown === "gone") return { observed, memory: context.memory };
  const updated = await api.webhooks.update(observed.shown, { ...inputOf(context), ...secretOf(context) });
  const id = context.id ?? "";
  const now = updated ?? (await readAfterWrite(api, () => readRegistration(context, api, id)));
  const left = typeof now === "object" ? webhookDifferences(context, { ...observed.shown, ...now }) : [];
  return {
    observed: { shown: { ...observed.shown, ...inputOf(context), ...updated }, sent: true },
    memory: { ...sentMemory(context), altered: alterationOf(context, left) },
  };
}

async function create(context: WebhookContext, api: Platform): Promise<Result> {
  const input = inputOf(context);
  const made = await api.webhooks.create({ ...input, ...secretOf(context) }, { extended: context.isFull });
  return {
    // A member that the answer lacks has the value that was sent.
    observed: { shown: context.isFull ? { ...input, ...made } : undefined, sent: true },
    memory: sentMemory(context),
    id: made.id,
  };
}

/** Looks for a new webhook with the target of the create, where the platform lists them. @throws ApiError */
export async function trace(
  intent: OpenIntent,
  context: WebhookContext,
  api: Platform,
): Promise<Trace<Observed, WebhookMemory>> {
  const sent = targetIn(intent.mark);
  const listed = sent && (await readOnFull(context, api, () => api.webhooks.list()));
  if (sent === undefined || listed === undefined)
    return { is: "unknowable", why: unknown(context, "its surface has no list to look it up in") };
  if (context.records.fingerprint("").key !== sent.key)
    return { is: "unknowable", why: unknown(context, "the key with which its target was noted is another one now") };
  const before = idsBefore(intent);
  const fresh = listed.filter(({ id }) => !before.has(id) && context.records.holderOf(id) === undefined);
  const found = fresh.filter(({ targetUrl = "" }) => sameContent(context.records.fingerprint(targetUrl), sent));
  if (found.length === 0) return notCreated(intent, listed, listed);
  return { is: "landed", known: found.map((shown) => ({ ...asFound(shown), id: shown.id })) };
}

/** What was sent is not known: the next plan compares the settings, and sends the secret again. */
function asFound(shown: Webhook): { readonly observed: Observed; readonly memory: WebhookMemory } {
  return { observed: { shown, sent: false }, memory: {} };
}

/** Returns the fingerprint of the target in the baseline of a create; undefined without one. */
function targetIn(mark: Json): Fingerprint | undefined {
  return platformWebhook.memory.parse({ registered: baseline(mark, "target") }).registered;
}

/** @param because why it cannot be looked up */
function unknown(context: WebhookContext, because: string): StatusReason {
  const needed = context.isFull ? "" : " (if the connection allows unverified ids: its spec.allowUnverifiedIds)";
  const target = shownTarget(wantedOf(context).targetUrl);
  const message = `The platform did not confirm the webhook to ${target}, and ${because}. Look on the platform: if it exists, set spec.externalId${needed}.`;
  return { reason: "CreateResultUnknown", message };
}
