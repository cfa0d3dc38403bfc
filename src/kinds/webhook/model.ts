/** What the parts of the webhook kind exchange, and how a webhook is compared with what the platform has. */
import { type DriftField, type Fingerprint, type ReconcileContext, sameContent } from "../../engine/contract/kind.ts";
import type { Webhook } from "../../platform/areas/webhooks.ts";
import type { Platform } from "../../platform/index.ts";
import type { Difference } from "../shared/altered.ts";
import { readOr } from "../shared/answers.ts";
import { readOnFull } from "../shared/surface.ts";
import { fitText } from "../shared/text.ts";
import type { TypesOf } from "../shared/types.ts";
import type { platformWebhook } from "./crd.ts";

export interface Inputs {
  /** The fingerprint of target, events and enabled. */
  readonly settings: Fingerprint;
}

export interface Observed {
  readonly shown: Shown;
  /** The settings were sent in this reconcile. */
  readonly sent: boolean;
}

export type Action = "create" | "update" | "delete";
/** The types of the kind. */
export type WebhookTypes = TypesOf<typeof platformWebhook, { inputs: Inputs; observed: Observed; action: Action }>;

export type WebhookContext = ReconcileContext<WebhookTypes>;

/** What can be compared on the full surface. */
export interface Registration {
  readonly targetUrl: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
}

/** Returns the registration as a request has it. */
export function inputOf({ targetUrl, events, enabled }: Registration) {
  return { targetUrl, events: [...events], enabled };
}

/** The webhook as the platform shows it; "gone" where it shows none with that id, undefined where it was not asked. */
export type Shown = Webhook | "gone" | undefined;

/** What deployed services call a webhook that delivers JSON (docs/architecture.md §9). */
export const KIND = "STANDARD";

/**
 * Reads the registration with an id, where the platform shows it. A recorded one counts as gone only if a read has
 * shown it before.
 * @throws ApiError as `readOnFull`
 */
export async function readRegistration(
  context: Pick<WebhookContext, "identitySource" | "isFull" | "records">,
  api: Platform,
  webhookId: string,
): Promise<Shown> {
  const read = readOnFull(context, api, () => api.webhooks.get(webhookId), ["NotFound"]);
  const shown = await readOr(read, "gone" as const, ["NotFound"]);
  if (shown === undefined || context.identitySource !== "recorded") return shown;
  const presence = context.records.presence(shown === "gone" ? "Missing" : "Shown");
  if (shown !== "gone" || presence === "Gone") return shown;
  context.records.unread("getWebhook", 404);
  return undefined;
}

/**
 * Returns scheme and host of a target. User, path and query are left out, as the URL of a receiver is often a secret.
 * @returns an ellipsis for a text that is not a URL
 */
export function shownTarget(url: string | undefined): string {
  if (url === undefined || !URL.canParse(url)) return "…";
  const { origin, pathname, search } = new URL(url);
  return fitText(pathname === "/" && search === "" ? origin : `${origin}/…`);
}

/** Returns the differences of the platform from the spec, with their whole values, which the status must not show. */
export function webhookDifferences(wanted: Registration, observed: Webhook): readonly Difference[] {
  const settings = [
    { path: TARGET, desired: wanted.targetUrl, observed: observed.targetUrl },
    { path: "spec.events", desired: listed(wanted.events), observed: listed(observed.events ?? []) },
    // Deployed services treat a registration without this member as enabled.
    { path: "spec.enabled", desired: String(wanted.enabled), observed: String(observed.enabled ?? true) },
  ];
  return settings.filter(({ desired, observed: actual }) => desired !== actual);
}

/**
 * Returns the context without a memory of differences that was made with another token: it cannot be compared, and the
 * settings are sent once more.
 */
export function withCurrentKey(context: WebhookContext): WebhookContext {
  const { inputs, memory } = context;
  return memory.altered?.key === inputs.settings.key
    ? context
    : { ...context, memory: { ...memory, altered: undefined } };
}

const TARGET = "spec.targetUrl";

/** Returns the same differences as the status shows them: of targets, only scheme and host; other values are cut. */
export function webhookDrift(wanted: Registration, observed: Webhook): readonly DriftField[] {
  return webhookDifferences(wanted, observed).map(({ path, desired, observed: actual }) =>
    path === TARGET ? targetDrift(wanted, observed) : { path, desired, observed: fitText(actual ?? "") },
  );
}

/** Returns the difference of the hosts, or only that the targets differ. */
function targetDrift(wanted: Registration, observed: Webhook): DriftField {
  const [desired, actual] = [shownTarget(wanted.targetUrl), shownTarget(observed.targetUrl)];
  if (desired !== actual) return { path: TARGET, desired, observed: actual };
  return { path: TARGET, desired, observed: `${actual} with another user, path or query` };
}

function listed(events: readonly string[]): string {
  return [...new Set(events)].toSorted().join(", ");
}

/** Reports whether the settings that were sent last differ from the wanted ones; false where nothing was sent. */
export function isOutdated(registered: Fingerprint | undefined, now: Fingerprint): boolean {
  return registered !== undefined && !sameContent(registered, now);
}
