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
} from "../kube/types.ts";
import type { ApiFailure } from "../platform/errors.ts";
import type { Claims } from "./claims.ts";
import type { Connections, RatedApi } from "./connections.ts";
import type { Entries } from "./entries.ts";
import type { Graph } from "./graph.ts";
import type { Imprints } from "./imprints.ts";
import type { Ms, Uuid } from "./kind.ts";
import type { Orphans } from "./orphans/ledger.ts";
import type { ConnectionKinds, Found } from "./references.ts";
import type { Sessions } from "./session.ts";

/** The engine's times, in milliseconds. Tests scale them down. */
export interface Windows {
  /** From the acknowledgement of an intent to the start of its request, at most (design §6: 5 s). */
  readonly sendMs: Ms;
  /** After which an intent whose effect is absent may be tried again (design §6: 60 s). */
  readonly landingMs: Ms;
  /** How long an intermediate state has to last before it is written (design §5: 10 s). */
  readonly deferMs: Ms;
  /** How long a waiting object may stay without a first status, so that YAML applied in one go writes none. */
  readonly graceMs: Ms;
  /** After which a settled object whose connection is in trouble says so (design §5: 30 min). */
  readonly staleMs: Ms;
  /** How long Ready stays as it was while nobody can tell whether the object works (10 min). */
  readonly unknownMs: Ms;
  /** After which a connection whose probes keep failing is no longer Ready (2 min). */
  readonly outageMs: Ms;
  /** After which something that is referred to and does not exist stalls the object (10 min). */
  readonly missingMs: Ms;
  /** How far two lists that lack an object have to be apart, at least, for it to count as gone (60 s). */
  readonly absenceMs: Ms;
  /** When an object that has just become settled is looked at once more, before the poll interval begins (1 min). */
  readonly firstLookMs: Ms;
  /** The poll interval of what is settled (10 min) and the bounds of the follow interval (2 s to 30 s). */
  readonly pollMs: Ms;
  readonly followMinMs: Ms;
  readonly followMaxMs: Ms;
  /** The bounds of the backoff after failures (1 s to 5 min). */
  readonly backoffMinMs: Ms;
  readonly backoffMaxMs: Ms;
  /** How long passes between two looks at one object that deliveries ask for, at least (reliability-bar E12: 5 s). */
  readonly hintMs: Ms;
  /** How long a deletion waits for a connection or a token that is gone before it lets go (design §6: nothing hangs). */
  readonly releaseMs: Ms;
}

export const DEFAULT_WINDOWS: Windows = {
  sendMs: 5_000,
  landingMs: 60_000,
  deferMs: 10_000,
  graceMs: 2_000,
  staleMs: 1_800_000,
  unknownMs: 600_000,
  outageMs: 120_000,
  missingMs: 600_000,
  absenceMs: 60_000,
  firstLookMs: 60_000,
  pollMs: 600_000,
  followMinMs: 2_000,
  followMaxMs: 30_000,
  backoffMinMs: 1_000,
  backoffMaxMs: 300_000,
  hintMs: 5_000,
  releaseMs: 300_000,
};

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

export interface Context<Api extends RatedApi> {
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
  readonly graph: Graph;
  readonly claims: Claims;
  readonly entries: Entries;
  readonly imprints: Imprints;
  /** What stayed on the platform when its resource went. */
  readonly orphans: Orphans;
  readonly sessions: Sessions;
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
