/** The ports that the engine works with. */
import type { Cache, Clock, EventRecorder, Fence, KubeObject, ObjectKey } from "../../kube/api/types.ts";
import type { Namespaces, Reader } from "../../kube/watch/readers.ts";
import type { Outputs } from "../../kube/write/outputs.ts";
import type { Writer } from "../../kube/write/writer.ts";
import type { ApiFailure } from "../../platform/transport/errors.ts";
import type { Connection, Connections } from "../connections/connections.ts";
import type { Ms, Uuid, RatedApi, Receiver, StatusReason } from "../contract/kind.ts";
import type { Windows } from "../contract/windows.ts";
import type { Orphans } from "../orphans/ledger.ts";
import type { ExternalWrites } from "../ownership/external-writes.ts";
import type { FieldOwnership } from "../ownership/fields.ts";
import type { IdOwnership } from "../ownership/ids.ts";
import type { InstallationKey } from "../ownership/installation-key.ts";
import type { DependencyIndex } from "../references/dependencies.ts";
import type { ConnectionKinds, ConnectionRoute } from "../references/references.ts";
import type { LocalStates } from "./local-state.ts";

/** Queues a key. `afterMs` 0 is now; `urgent` goes before routine verification. */
export type Enqueue = (keyText: string, options: { readonly afterMs: Ms; readonly urgent: boolean }) => void;

/** Why a change of the platform was made. */
export type ChangeCause = keyof typeof CAUSES;

/** The text of each cause, which ends a sentence. */
export const CAUSES = {
  SpecChanged: "the spec says so",
  InputsChanged: "what the spec refers to has changed",
  Drifted: "the platform differs from the spec",
  Requested: "an annotation requested it",
  Scheduled: "spec.runSchedule says so",
  Retried: "the deployment failed and spec.lifecycle.retry starts it again",
  Recreated: "it was gone from the platform",
  Deleted: "the resource is being deleted",
} as const;

/** A mutating call and how it ended, for the change log. */
export interface ChangeRecord {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly generation: number;
  readonly cause: ChangeCause;
  readonly op: string;
  readonly id: Uuid | undefined;
  readonly commit: string | undefined;
  readonly result: "ok" | ApiFailure["is"];
  /** Whether the request left the operator. */
  readonly sent: boolean;
}

/** Receives what logs and metrics show. The engine itself neither logs nor counts. */
export interface Observer {
  /**
   * Called right after every mutating call. The log of a create has the id even if nothing can be stored afterwards.
   */
  change(change: ChangeRecord): void;
  /** Called after a status was written or found unchanged. `before` is the object before; the same if unchanged. */
  status(object: KubeObject, before: KubeObject): void;
  /** Called for a deleted object. */
  removed(key: ObjectKey): void;
  /**
   * Called for a connection whose status another release writes, once for each release and reason.
   * @param why how the connection is for this release
   */
  writtenElsewhere(key: ObjectKey, release: string, why: StatusReason | undefined): void;
  /** Called for an error that the engine does not classify; the object reports InternalError. */
  internal(key: ObjectKey, error: unknown): void;
}

/** What is known of the other releases of the operator in the cluster. */
export interface Releases {
  /** Reports whether the release of a namespace runs, or ran a few minutes ago. */
  readonly isRunning: (namespace: string) => boolean;
}

/** The ports that the operator provides. */
export interface ProvidedPorts {
  readonly cache: Cache;
  readonly writer: Writer;
  readonly reader: Reader;
  /** Returns the text with every value masked that was read from a Secret of the namespace. */
  readonly withoutSecrets: (text: string, namespace: string) => string;
  readonly namespaces: Namespaces;
  readonly events: EventRecorder;
  readonly outputs: Outputs;
  readonly fence: Fence;
  readonly clock: Clock;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  readonly connectionKinds: ConnectionKinds;
  /** The ledger of objects that stay on the platform after their resources are deleted. */
  readonly orphans: Orphans;
  readonly windows: Windows;
  /** The namespace of the Secrets of cluster-scoped connections. */
  readonly operatorNamespace: string;
  /** The other releases of the operator in the cluster, each known by the namespace of its operator. */
  readonly releases: Releases;
  /** In a dry run nothing is written to the platform; the status gets a plan of the writes. */
  readonly dryRun: boolean;
  /** The uid of the kube-system namespace. */
  readonly installation: string;
  /** Signs what the operator stores in objects that users may edit. */
  readonly key: InstallationKey;
  /** Returns where the operator receives the deliveries of a connection's platform for one resource. */
  readonly receiver: (resource: ObjectKey, connection: Pick<Connection, "key" | "host" | "settings">) => Receiver;
  readonly observer: Observer;
  /** Aborted when the process stops: retries of storing outcomes end then. */
  readonly stopping: AbortSignal;
}

/** All ports: those that the operator provides and those that the engine creates. */
export interface Ports<Api extends RatedApi = RatedApi> extends ProvidedPorts {
  readonly connections: Connections<Api>;
  readonly dependencies: DependencyIndex;
  readonly idOwnership: IdOwnership;
  readonly fieldOwnership: FieldOwnership;
  readonly externalWrites: ExternalWrites;
  readonly localStates: LocalStates;
  /** Returns the connection that an object of any kind uses. */
  readonly route: (object: KubeObject) => ConnectionRoute;
  /** Returns the Secrets of a namespace that connections and the operator use, each with the title of one user. */
  readonly usedSecrets: (namespace: string) => ReadonlyMap<string, string>;
  /** Queues an object at once. */
  readonly wake: (keyText: string) => void;
}
