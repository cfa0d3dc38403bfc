/** What the parts of the kind hand to one another. */
import type { Fingerprint, ReconcileContext } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import type { WebhookMemory, WebhookSpec } from "./crd.ts";
import type { Shown } from "./settings.ts";

export interface Inputs {
  /** Stands for target, events and enabled. */
  readonly settings: Fingerprint;
}

export interface Seen {
  readonly shown: Shown;
  /** The settings were sent in this reconcile. */
  readonly sent: boolean;
}

export type Do = "create" | "update" | "delete";
/** The types of the kind. */
export interface WebhookTypes {
  readonly spec: WebhookSpec;
  readonly inputs: Inputs;
  readonly observed: Seen;
  readonly memory: WebhookMemory;
  readonly action: Do;
  readonly api: Platform;
}

export type WebhookPass = ReconcileContext<WebhookTypes>;
