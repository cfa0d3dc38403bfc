/** What the parts of the webhook kind exchange, and how a webhook is compared with what the platform has. */
import {
  type DriftField,
  type Fingerprint,
  type ReconcileContext,
  type Receiver,
  refreshed,
  sameContent,
} from "../../engine/contract/kind.ts";
import type { Webhook } from "../../platform/areas/webhooks.ts";
import type { Platform } from "../../platform/index.ts";
import type { Difference } from "../shared/altered.ts";
import { readOr } from "../shared/answers.ts";
import { readOnFull } from "../shared/surface.ts";
import { fitText } from "../shared/text.ts";
import type { TypesOf } from "../shared/types.ts";
import type { platformWebhook, WebhookMemory } from "./crd.ts";

export interface Inputs {
  /** The fingerprint of all settings, with the secret. */
  readonly settings: Fingerprint;
  /** Where the operator receives deliveries, for a spec with `receiver: true`. */
  readonly receiver: Receiver | undefined;
  /** The value of spec.targetSecretRef. */
  readonly secret: { readonly value: string; readonly fingerprint: Fingerprint } | undefined;
}

/** The field of the spec that names the secret of a receiver of the user's own. */
export const SECRET_FIELD = "spec.targetSecretRef";

/** The settings that the specification does not have: each is left alone unless the spec has it. */
export const BEYOND = ["description", "projectNamesFilter", "environmentTypesFilter"] as const;

export interface Observed {
  readonly shown: Shown;
  /** The webhooks of the organization, where one is to be found or created and the platform lists them. */
  readonly listed?: readonly Webhook[] | undefined;
  readonly serverNow?: Date | undefined;
  /** The settings were sent in this reconcile. */
  readonly sent: boolean;
}

export type Action = "create" | "update" | "delete";
/** The types of the kind. */
export type WebhookTypes = TypesOf<typeof platformWebhook, { inputs: Inputs; observed: Observed; action: Action }>;

export type WebhookContext = ReconcileContext<WebhookTypes>;

/** What can be compared on the full surface. */
export interface Registration {
  /** undefined while the operator has no URL for its receiver. */
  readonly targetUrl: string | undefined;
  readonly events: readonly string[];
  readonly enabled: boolean;
}

/**
 * The events after which a resource has another state. The specification and the platform's whole API spell them
 * differently (docs/project/architecture.md §9).
 */
const EVENTS = {
  Documented: ["DEPLOYMENT_STARTED", "DEPLOYMENT_SUCCEEDED", "DEPLOYMENT_FAILED"],
  Full: ["DEPLOYMENT_STARTED", "DEPLOYMENT_SUCCESSFUL", "DEPLOYMENT_FAILURE", "DEPLOYMENT_CANCELLED"],
} as const;

/** What decides the registration. */
type Wanting = Pick<WebhookContext, "spec" | "inputs" | "isFull">;

/** Returns the registration that the spec wants. */
export function wantedOf({ spec, inputs, isFull }: Wanting): Registration {
  const url = inputs.receiver === undefined ? spec.targetUrl : inputs.receiver.url;
  return {
    targetUrl: typeof url === "string" ? url : undefined,
    events: spec.events ?? EVENTS[isFull ? "Full" : "Documented"],
    enabled: spec.enabled,
  };
}

/** Returns the registration as a request has it. @throws TypeError while the operator has no URL for its receiver */
export function inputOf(context: Wanting) {
  const { targetUrl, events, enabled } = wantedOf(context);
  if (targetUrl === undefined) throw new TypeError("a webhook without a target is not sent");
  const { description, projectNamesFilter, environmentTypesFilter } = context.spec;
  return {
    targetUrl,
    events: [...events],
    enabled,
    ...(description !== undefined && { description }),
    ...(projectNamesFilter !== undefined && { projectNamesFilter }),
    ...(environmentTypesFilter !== undefined && { environmentTypesFilter }),
  };
}

/**
 * Returns the secret: that of the spec, or on Full that of the operator's receiver. A PUT without it resets it.
 */
export function secretOf({ inputs, isFull }: Wanting): { readonly targetSecret?: string } {
  if (inputs.secret !== undefined) return { targetSecret: inputs.secret.value };
  return isFull && inputs.receiver !== undefined ? { targetSecret: inputs.receiver.secret } : {};
}

/** Returns the memory of a registration that was sent. */
export function sentMemory({ memory, inputs, isFull }: WebhookContext): WebhookMemory {
  const hasSecret = inputs.receiver && isFull;
  return { ...memory, registered: inputs.settings, hasSecret, sentSecret: inputs.secret?.fingerprint };
}

/** Reports whether the platform has another secret than spec.targetSecretRef names, or one that left the spec. */
export function isSecretUnsent({ memory: { sentSecret }, inputs: { secret }, isFull }: WebhookContext): boolean {
  return isFull && !sameContent(sentSecret, secret?.fingerprint);
}

/**
 * Reports whether the settings that were sent last differ from the wanted ones; false where nothing was sent, and while
 * the operator has no URL for its receiver. That URL is made with the key of the installation: another key makes another.
 */
export function isOutdated({ memory, inputs }: WebhookContext): boolean {
  const { registered } = memory;
  if (registered === undefined || typeof inputs.receiver?.url === "object") return false;
  const isOtherKey = inputs.receiver !== undefined && registered.key !== inputs.settings.key;
  return isOtherKey || !sameContent(registered, inputs.settings);
}

/** Returns the memory of what was sent last, to be compared by the key of today. */
export function registeredNow({ memory, inputs }: WebhookContext): WebhookMemory["registered"] {
  return inputs.receiver === undefined ? refreshed(memory.registered, inputs.settings) : memory.registered;
}

/** Reports whether the platform still lacks the secret of the operator's receiver. */
export function lacksSecret({ memory, inputs, isFull }: WebhookContext): boolean {
  return isFull && inputs.receiver !== undefined && memory.hasSecret !== true;
}

/** Reports whether a URL is that of this resource at the operator's receiver, wherever the receiver is. */
export function isOwnTarget({ spec, inputs }: WebhookContext, url: string | undefined): boolean {
  if (inputs.receiver === undefined) return url === spec.targetUrl;
  return url?.endsWith(`/${inputs.receiver.path}`) === true;
}

/**
 * Returns the webhooks with the target of the resource that no other resource holds: several resources may have one
 * target.
 */
export function ofTarget(context: WebhookContext, listed: readonly Webhook[]): readonly Webhook[] {
  return listed.filter(
    ({ id, targetUrl }) => isOwnTarget(context, targetUrl) && context.records.holderOf(id) === undefined,
  );
}

/** The webhook as the platform shows it; "gone" where it shows none with that id, undefined where it was not asked. */
export type Shown = Webhook | "gone" | undefined;

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
export function webhookDifferences(context: Wanting, observed: Webhook): readonly Difference[] {
  const wanted = wantedOf(context);
  const settings = [
    { path: targetPath(context), desired: wanted.targetUrl ?? observed.targetUrl, observed: observed.targetUrl },
    { path: "spec.events", desired: listed(wanted.events), observed: listed(observed.events ?? []) },
    // Deployed services treat a registration without this member as enabled.
    { path: "spec.enabled", desired: String(wanted.enabled), observed: String(observed.enabled ?? true) },
    ...BEYOND.flatMap((name) => {
      const desired = textOf(context.spec[name]);
      return desired === undefined ? [] : [{ path: `spec.${name}`, desired, observed: textOf(observed[name]) ?? "" }];
    }),
    ...(context.inputs.secret !== undefined && observed.targetSecretSet === false
      ? [{ path: SECRET_FIELD, desired: "set", observed: "not set" }]
      : []),
  ];
  return settings.flatMap(({ path, desired = "", observed: actual }) =>
    desired === actual ? [] : [{ path, desired, observed: actual }],
  );
}

/**
 * Returns the context without a memory of differences that was made with another key: it cannot be compared, and the
 * settings are sent once more.
 */
export function withCurrentKey(context: WebhookContext): WebhookContext {
  const { inputs, memory } = context;
  return memory.altered?.key === inputs.settings.key
    ? context
    : { ...context, memory: { ...memory, altered: undefined } };
}

/** Returns the member of the spec that decides the target. */
export function targetPath({ inputs }: Wanting): string {
  return inputs.receiver === undefined ? "spec.targetUrl" : "spec.receiver";
}

/** Returns the same differences as the status shows them: of targets, only scheme and host; other values are cut. */
export function webhookDrift(context: Wanting, observed: Webhook): readonly DriftField[] {
  return webhookDifferences(context, observed).map(({ path, desired, observed: actual }) =>
    path === targetPath(context) ? targetDrift(context, observed) : { path, desired, observed: fitText(actual ?? "") },
  );
}

/** Returns the difference of the hosts, or only that the targets differ. */
function targetDrift(context: Wanting, observed: Webhook): DriftField {
  const path = targetPath(context);
  const [desired, actual] = [shownTarget(wantedOf(context).targetUrl), shownTarget(observed.targetUrl)];
  if (desired !== actual) return { path, desired, observed: actual };
  return { path, desired, observed: `${actual} with another user, path or query` };
}

function listed(names: readonly string[]): string {
  return [...new Set(names)].toSorted().join(", ");
}

/** Returns a setting as a text, of a list the entries in a fixed order. */
export function textOf(setting: string | readonly string[] | undefined): string | undefined {
  return typeof setting === "object" ? listed(setting) : setting;
}
