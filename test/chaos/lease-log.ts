/** Records from the API server's answers which process renews the lease, and which holder each process observes. */
import { LEASE_NAME } from "../../src/config/names.ts";
import { member, parseJson } from "../../src/kube/api/json.ts";
import { comes } from "../support/env/cluster.ts";
import type { Answer, Call, Interceptor } from "./tap/call.ts";

/**
 * How long after its last renewal a leader may call the platform (docs/project/architecture.md §10): reads until the renew
 * deadline, writes only if they end before the lease expires.
 */
const LAST_CALL_MS = { read: 10_000, write: 7_000 } as const;
const LEASE_MS = 15_000;
/** The delay after which the tap of a busy machine may see a call or its answer. */
export const TAP_DELAY_MS = 2_000;
/** The time limit of a step; a busy machine takes a minute for three seconds of work. */
export const TIMEOUT_MS = 180_000;

/** A renewal of the lease, or its acquisition. */
export interface Renewal {
  readonly pid: number;
  /** The number of the call. */
  readonly k: number;
  readonly at: number;
}

/** A call of the platform and the process that may have made it. */
export interface CallByPid extends Pick<Call, "k" | "what" | "method" | "at"> {
  readonly pid: number;
}

interface Observed {
  readonly k: number;
  readonly at: number;
  readonly pid: number | undefined;
  readonly holder: string;
}

export type LeaseLog = ReturnType<typeof openLeaseLog>;

export function openLeaseLog() {
  const writes: Observed[] = [];
  const reads: Observed[] = [];
  const identities = new Map<string, number>();
  /** When the platform answered each call. */
  const answeredAt = new Map<number, number>();
  const renewals = (): readonly Renewal[] =>
    writes.flatMap(({ k, at, pid, holder }) => {
      const by = pid ?? identities.get(holder);
      return by === undefined ? [] : [{ k, at, pid: by }];
    });

  const onAnswer = ({ side, what, method, k, pid, at }: Call, { status, body }: Answer): void => {
    if (side === "platform") answeredAt.set(k, Date.now());
    if (!what.includes(" leases") || status >= 300) return;
    const holder = member(member(parseJson(body.toString()), "spec"), "holderIdentity");
    if (typeof holder !== "string" || holder === "") return;
    if (method === "GET") {
      reads.push({ k, at: Date.now(), pid, holder });
      return;
    }
    if (pid !== undefined) identities.set(holder, pid);
    writes.push({ k, at, pid, holder });
  };

  /** Returns when a process last observed another holder, up to a time. */
  const otherHolderAt = (pid: number, upTo: number): number =>
    reads.findLast((read) => read.pid === pid && identities.get(read.holder) !== pid && read.at <= upTo)?.at ?? -1;

  const violationOf = ({ k, what, method, pid, at }: CallByPid): readonly string[] => {
    const renewedAt = renewals().findLast((renewal) => renewal.pid === pid && renewal.at <= at)?.at ?? 0;
    if (otherHolderAt(pid, at - TAP_DELAY_MS) > renewedAt) return [`${what}, after it observed another holder`];
    const effect = method === "GET" ? "read" : "write";
    const late = at - renewedAt;
    if (late > LAST_CALL_MS[effect] + TAP_DELAY_MS) return [`${what}, ${late} ms after the last renewal`];
    const ended = (answeredAt.get(k) ?? at) - renewedAt;
    const isTooLong = effect === "write" && ended > LEASE_MS + TAP_DELAY_MS;
    return isTooLong ? [`${what} ended ${ended} ms after the last renewal, later than the lease`] : [];
  };

  return {
    interceptor: { onAnswer } satisfies Interceptor,
    /** Waits until the process that wrote the lease last is known, and returns its renewal. */
    holder: () =>
      until(() => {
        const last = renewals().at(-1);
        return last?.k === writes.at(-1)?.k ? last : undefined;
      }),
    /** Waits for the first renewal after a call, optionally by another process than `notBy`. */
    next: ({ k, notBy }: { readonly k: number; readonly notBy?: number }) =>
      until(() => renewals().find((renewal) => renewal.k > k && renewal.pid !== notBy)),
    /** Returns the last renewal of a process up to a call. */
    last: (pid: number, before: { readonly k: number }) =>
      renewals().findLast((renewal) => renewal.pid === pid && renewal.k <= before.k),
    /** Returns the calls of processes that had observed another holder or had renewed the lease too long ago. */
    violations: (calls: readonly CallByPid[]) => calls.flatMap(violationOf),
  };
}

/** @throws Error after TIMEOUT_MS */
async function until(find: () => Renewal | undefined): Promise<Renewal> {
  const found = await comes(() => Promise.resolve(find()), TIMEOUT_MS);
  if (found === undefined) throw new Error(`nobody took the lease ${LEASE_NAME}`);
  return found;
}
