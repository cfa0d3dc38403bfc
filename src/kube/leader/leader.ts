import { abortableSleep, microTime } from "../api/clock.ts";
import { isKube, KubeError } from "../api/errors.ts";
import { isObject, member, stringMember } from "../api/json.ts";
import { collectionPath, LEASE, objectPath } from "../api/paths.ts";
import { DEADLINES, FIELD_MANAGER, type KubeClient, readOptional } from "../api/transport.ts";
import type { Clock, Fence, Json, JsonObject } from "../api/types.ts";

/** The times of the lease, in milliseconds, those of client-go; a candidate reads it at least every `candidate`. */
const TIMES = { lease: 15_000, renewDeadline: 10_000, retry: 2_000, candidate: 1_000 } as const;
/** The deadline of a write of the platform: a write may start only if it ends before the lease does. */
const MAX_WRITE_MS = 8_000;
/** The longest lease that is respected: a lease edited by hand cannot keep other processes out for longer. */
const MAX_LEASE_MS = 60_000;

export interface LeaderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly namespace: string;
  readonly name: string;
  /** At most 128 characters; unique to this process. */
  readonly identity: string;
  /** The annotations that the holder sets on the lease; others stay. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Called when this process starts to lead. No callback may throw. */
  onStarted(): void;
  /** Called when this process stops leading: it must exit at once. `stop` does not call it. */
  onLost(): void;
  /** Called with the metadata of the lease after each read and write. */
  onObserved?(metadata: JsonObject): void;
  /** Called with the error of each failed attempt, for the log and for `leader_election_slowpath_total`. */
  onFailed?(error: unknown): void;
}

/** One candidate. It leads at most once: a process that lost the lease exits and is started again. */
export interface LeaderElection extends Fence {
  start(): void;
  /** Releases the lease, so that another process need not wait until it expires. */
  stop(): Promise<void>;
  /**
   * Reports whether it leads and may still renew. It asks the clock, so the answer is right after a pause of the
   * process too.
   */
  leading(): boolean;
}

/**
 * The lease, and when its version was first observed, on this process's monotonic clock: clocks of other machines are
 * not trusted.
 */
interface Observed {
  readonly record: LeaseRecord;
  readonly at: number;
}

/** @returns a candidate for the Lease, with the protocol of client-go's leaderelection; it is not started */
export function createLeaderElection(options: LeaderOptions): LeaderElection {
  const { client, clock, identity, random } = options;
  const collection = collectionPath(LEASE, options.namespace);
  const path = objectPath(LEASE, options);
  const stopping = new AbortController();
  let observed: Observed | undefined;
  let renewedAt: number | undefined;
  let leading = false;
  let ended: Promise<void> | undefined;

  const observe = (record: LeaseRecord): void => {
    if (observed?.record.resourceVersion !== record.resourceVersion) observed = { record, at: clock.monotonic() };
    options.onObserved?.(record.metadata);
  };

  /** While leading, no call outlasts the renew deadline. */
  const timeoutMs = (): number => {
    const left = leading && renewedAt !== undefined ? renewedAt + TIMES.renewDeadline - clock.monotonic() : Infinity;
    return Math.min(DEADLINES.lease, Math.max(left, 0));
  };

  const read = async (): Promise<LeaseRecord | undefined> => {
    const answer = await readOptional(client, path, { timeoutMs: timeoutMs() });
    return answer === undefined ? undefined : fromLease(answer);
  };

  const write = async (before: LeaseRecord | undefined, spec: JsonObject): Promise<void> => {
    const answer = await client.request({
      method: before === undefined ? "POST" : "PUT",
      path: before === undefined ? collection : path,
      query: { fieldManager: FIELD_MANAGER },
      timeoutMs: timeoutMs(),
      body: leaseBody(options, before, spec),
    });
    observe(fromLease(answer));
  };

  /** Takes or renews the lease by compare-and-swap on its resourceVersion. */
  const claim = async (before: LeaseRecord | undefined): Promise<"held"> => {
    // Taken before the request, so that the lease never seems to last longer here than in other processes.
    const at = clock.monotonic();
    const now = microTime(clock.now());
    const isRenewal = before?.holder === identity;
    await write(before, {
      holderIdentity: identity,
      leaseDurationSeconds: TIMES.lease / 1_000,
      renewTime: now,
      acquireTime: isRenewal ? before.acquireTime : now,
      leaseTransitions: (before?.transitions ?? 0) + (before === undefined || isRenewal ? 0 : 1),
    });
    renewedAt = at;
    return "held";
  };

  /** Returns for how long another process still holds the lease; 0 when it is free, or held by this one. */
  const heldByOtherMs = ({ record, at }: Observed): number => {
    if (record.holder === "" || record.holder === identity) return 0;
    const lasts = Math.min(Math.max(record.durationMs, TIMES.lease), MAX_LEASE_MS);
    return Math.max(0, at + lasts - clock.monotonic());
  };

  /** Returns after how long a candidate tries next: when the observed lease expires, or sooner, to see a renewal. */
  const nextTryMs = (): number => {
    const held = observed === undefined ? 0 : heldByOtherMs(observed);
    const usual = TIMES.candidate * (0.8 + random() / 5);
    return held === 0 ? usual : Math.min(held, usual);
  };

  /** Renews the lease without reading it. @returns undefined when another client edited or deleted it */
  const renew = async (before: LeaseRecord): Promise<"held" | undefined> => {
    try {
      return await claim(before);
    } catch (error) {
      if (!isKube(error, "Conflict") && !isKube(error, "NotFound")) throw error;
      options.onFailed?.(error);
      return undefined;
    }
  };

  const acquireOrRenew = async (): Promise<"held" | "heldByOther"> => {
    const renewed = leading && observed?.record.holder === identity ? await renew(observed.record) : undefined;
    if (renewed !== undefined) return renewed;
    const record = await read();
    if (record === undefined) return claim(undefined);
    observe(record);
    if (observed !== undefined && heldByOtherMs(observed) > 0) return "heldByOther";
    return claim(record);
  };

  const attempt = async (): Promise<"held" | "heldByOther" | "unknown"> => {
    try {
      return await acquireOrRenew();
    } catch (error) {
      options.onFailed?.(error);
      return "unknown";
    }
  };

  const run = async (): Promise<void> => {
    const { signal } = stopping;
    while ((await attempt()) !== "held") {
      if (!(await abortableSleep(clock, nextTryMs(), signal))) return;
    }
    if (signal.aborted) return;
    leading = true;
    options.onStarted();
    while (await abortableSleep(clock, TIMES.retry, signal)) {
      const result = await attempt();
      const overdue = clock.monotonic() - (renewedAt ?? 0) >= TIMES.renewDeadline;
      if (result === "heldByOther" || (result === "unknown" && overdue)) {
        leading = false;
        options.onLost();
        return;
      }
    }
  };

  const release = async (): Promise<void> => {
    const record = observed?.record;
    if (record?.holder !== identity) return;
    const spec = { ...record.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTime(clock.now()) };
    await write(record, spec).catch((error: unknown) => options.onFailed?.(error));
  };

  return {
    start: () => {
      ended ??= run();
    },
    stop: async () => {
      stopping.abort();
      await ended;
      leading = false;
      await release();
    },
    leading: () => leading && renewedAt !== undefined && clock.monotonic() - renewedAt < TIMES.renewDeadline,
    mayWrite: () => leading && renewedAt !== undefined && isTimeToWrite(clock.monotonic() - renewedAt),
  };
}

/** Reports whether a write that starts `sinceRenewalMs` after the last renewal ends before the lease does. */
export function isTimeToWrite(sinceRenewalMs: number): boolean {
  return sinceRenewalMs < TIMES.lease - MAX_WRITE_MS;
}

/** @returns the fence of a process without leader election: it may always write */
export function openFence(): Fence {
  return { mayWrite: () => true, leading: () => true };
}

/** The fields of a Lease (coordination.k8s.io/v1) that leader election uses. */
export type LeaseRecord = ReturnType<typeof fromLease>;

/**
 * @returns the record of a Lease, whatever a user wrote into it
 * @throws KubeError "BadResponse" when the answer is no object with a resourceVersion
 */
export function fromLease(answer: Json) {
  const metadata = member(answer, "metadata");
  const resourceVersion = stringMember(metadata, "resourceVersion");
  if (!isObject(metadata) || resourceVersion === undefined) {
    throw new KubeError("BadResponse", 200, "the answer is no Lease");
  }
  const given = member(answer, "spec");
  const spec = isObject(given) ? given : {};
  return {
    resourceVersion,
    /** Empty when it was released. */
    holder: stringMember(spec, "holderIdentity") ?? "",
    durationMs: count(spec["leaseDurationSeconds"]) * 1_000,
    acquireTime: stringMember(spec, "acquireTime"),
    transitions: count(spec["leaseTransitions"]),
    /** All of metadata and spec, so that a write keeps unknown fields. */
    metadata,
    spec,
  };
}

/** @returns the body of a write; for an existing Lease it has its resourceVersion */
export function leaseBody(
  at: Pick<LeaderOptions, "name" | "namespace" | "annotations">,
  before: LeaseRecord | undefined,
  spec: JsonObject,
): JsonObject {
  const { name, namespace, annotations } = at;
  const given = before?.metadata ?? { name, namespace };
  const old = given["annotations"];
  const metadata =
    annotations === undefined ? given : { ...given, annotations: { ...(isObject(old) && old), ...annotations } };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: { ...before?.spec, ...spec } };
}

function count(value: Json | undefined): number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : 0;
}
