/** What every pass of the engine works with. */
import type {
  Cache,
  Clock,
  EventRecorder,
  Fence,
  KubeObject,
  Namespaces,
  ObjectKey,
  Outputs,
  Reader,
  Writer,
} from "../../kube/api/types.ts";
import type { ApiFailure } from "../../platform/transport/errors.ts";
import type { Connections } from "../connections/connections.ts";
import type { Ms, Uuid, RatedApi } from "../contract/kind.ts";
import type { Windows } from "../contract/windows.ts";
import type { Orphans } from "../orphans/ledger.ts";
import type { ExternalWrites } from "../ownership/external-writes.ts";
import type { FieldOwnership } from "../ownership/fields.ts";
import type { IdOwnership } from "../ownership/ids.ts";
import type { DependencyIndex } from "../references/dependencies.ts";
import type { ConnectionKinds, Found } from "../references/references.ts";
import type { LocalStates } from "./local-state.ts";

/** Where keys are queued. `afterMs` 0 is now; `urgent` goes before routine verification. */
export type Enqueue = (keyText: string, options: { readonly afterMs: Ms; readonly urgent: boolean }) => void;

/** What a change of the platform was made for. */
export type Cause = keyof typeof CAUSES;

/** In words that end a sentence. */
export const CAUSES = {
  SpecChanged: "the spec says so",
  InputsChanged: "what the spec refers to has changed",
  Drifted: "the platform differs from the spec",
  Requested: "a reconcile was requested",
  Retried: "the deployment failed and spec.lifecycle.retry starts it again",
  Recreated: "it was gone from the platform",
  Deleted: "the resource is being deleted",
} as const;

/** A mutating call and how it ended, for the change log. */
export interface Change {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly generation: number;
  readonly cause: Cause;
  readonly op: string;
  readonly id: Uuid | undefined;
  readonly commit: string | undefined;
  readonly result: "ok" | ApiFailure["is"];
  /** Whether a request for it left the operator. */
  readonly sent: boolean;
}

/** How the engine tells telemetry what happens; it neither logs nor counts itself. */
export interface Observer {
  /** Told at once after every mutating call: with the id of a create it is the last-resort journal. */
  change(change: Change): void;
  /** After a status was written or found unchanged. */
  status(object: KubeObject): void;
  /** The object is gone. */
  removed(key: ObjectKey): void;
  /** An error that no table knows; the object says InternalError. */
  internal(key: ObjectKey, error: unknown): void;
}

export interface Ports<Api extends RatedApi> {
  readonly cache: Cache;
  readonly writer: Writer;
  readonly reader: Reader;
  readonly namespaces: Namespaces;
  readonly events: EventRecorder;
  readonly outputs: Outputs;
  readonly fence: Fence;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly connections: Connections<Api>;
  readonly connectionKinds: ConnectionKinds;
  readonly dependencies: DependencyIndex;
  readonly idOwnership: IdOwnership;
  readonly fieldOwnership: FieldOwnership;
  readonly externalWrites: ExternalWrites;
  /** What stayed on the platform when its resource went. */
  readonly orphans: Orphans;
  readonly localStates: LocalStates;
  readonly windows: Windows;
  /** Where the Secrets of cluster-scoped connections lie. */
  readonly operatorNamespace: string;
  /** Nothing is written to the platform; what would be is a plan in the status. For looking ahead. */
  readonly dryRun: boolean;
  /** The uid of the kube-system namespace. */
  readonly installation: string;
  readonly observer: Observer;
  /** Which connection an object of any kind uses. */
  readonly route: (object: KubeObject) => Found;
  /** Queues an object, now. */
  readonly wake: (keyText: string) => void;
  /** Fires when the process stops; retries of outcomes end then. */
  readonly stopping: AbortSignal;
}
