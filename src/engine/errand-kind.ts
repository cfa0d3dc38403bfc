/** The seam between the engine and what a connection does for itself. */
import type { JsonObject } from "../kube/types.ts";
import type { Fingerprint, Kind, Surface } from "./kind.ts";

/** Where the platform reaches the operator's receiver of deliveries, and the Secret that proves that one is genuine. */
export interface ReceiverSettings {
  readonly url: string;
  readonly secret: { readonly name: string; readonly key: string };
}

/** What is known when the receiver of a connection is registered. */
export interface ReceiverInputs {
  /** With the path that nobody can guess. */
  readonly url: string;
  /** What the platform is asked to send with every delivery, where it can. */
  readonly secret: string;
  /** Stands for both. */
  readonly registered: Fingerprint;
  /** The user asked for another registration, whatever became of the one before. */
  readonly anew: boolean;
  /** What is known of the surface by now. */
  readonly surface: Surface | undefined;
}

/** What a connection does on the platform for itself. How it goes is told in a condition of this type. */
export interface Errand<Spec, Mem extends JsonObject, Api> {
  readonly condition: string;
  readonly kind: Kind<Spec, ReceiverInputs, unknown, Mem, unknown, Api>;
}
