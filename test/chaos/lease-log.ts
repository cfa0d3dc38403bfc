/** Who holds the lease, and who was told so, as the API server answered. */
import { member, parseJson } from "../../src/kube/api/json.ts";
import { LEASE_NAME } from "../../src/operator/config/names.ts";
import { comes } from "../support/env/cluster.ts";
import type { Answer, Call, Interceptor } from "./tap/call.ts";

/**
 * How long after the last renewal of a leader its calls may come in (docs/architecture.md §10): reads until it had to
 * renew the lease, writes only so long that they end before the lease does.
 */
const LAST_CALL_MS = { read: 10_000, write: 7_000 } as const;
const LEASE_MS = 15_000;
/** How late the tap of a busy machine may see a call or its answer. */
export const SEEN_LATE_MS = 2_000;
/** A machine that has much else to do takes a minute for what is done in three seconds. */
export const SOON_MS = 180_000;

/** One renewal of a process, the first included. */
export interface Renewal {
  readonly pid: number;
  /** The call's number and time. */
  readonly k: number;
  readonly at: number;
}

/** A call of the platform, and who made it. */
export interface Made extends Pick<Call, "k" | "what" | "method" | "at"> {
  readonly pid: number;
}

export interface LeaseLog {
  readonly interceptor: Interceptor;
  /**
   * Waits until it is known which process holds it: where the machine starves the first leader, that is another one
   * soon.
   */
  holder(): Promise<Renewal>;
  /** Waits for the first renewal after a call, or the first by another process than one. */
  next(after: { readonly k: number; readonly notBy?: number }): Promise<Renewal>;
  /** The last renewal of a process up to a call. */
  last(pid: number, before: { readonly k: number }): Renewal | undefined;
  /**
   * Returns the calls by processes that were told of another holder, or whose last renewal was longer ago than a call
   * may begin or a write may end.
   */
  overstepped(calls: readonly Made[]): readonly string[];
}

interface Observed {
  readonly k: number;
  readonly at: number;
  readonly pid: number | undefined;
  readonly holder: string;
}

/** @returns a log of what is answered to its interceptor. */
export function openLeaseLog(): LeaseLog {
  const writes: Observed[] = [];
  const looks: Observed[] = [];
  const identities = new Map<string, number>();
  /** When each call of the platform was answered. */
  const endings = new Map<number, number>();
  const renewals = (): readonly Renewal[] =>
    writes.flatMap(({ k, at, pid, holder }) => {
      const by = pid ?? identities.get(holder);
      return by === undefined ? [] : [{ k, at, pid: by }];
    });

  const onAnswer = ({ side, what, method, k, pid, at }: Call, { status, body }: Answer): void => {
    if (side === "platform") endings.set(k, Date.now());
    if (!what.includes(" leases") || status >= 300) return;
    const holder = member(member(parseJson(body.toString()), "spec"), "holderIdentity");
    if (typeof holder !== "string" || holder === "") return;
    if (method === "GET") {
      looks.push({ k, at: Date.now(), pid, holder });
      return;
    }
    if (pid !== undefined) identities.set(holder, pid);
    writes.push({ k, at, pid, holder });
  };

  /** When a process was told last that another one holds it, up to a moment. */
  const toldAt = (pid: number, upTo: number): number =>
    looks.findLast((look) => look.pid === pid && identities.get(look.holder) !== pid && look.at <= upTo)?.at ?? -1;

  const misplaced = ({ k, what, method, pid, at }: Made): readonly string[] => {
    const renewedAt = renewals().findLast((one) => one.pid === pid && one.at <= at)?.at ?? 0;
    if (toldAt(pid, at - SEEN_LATE_MS) > renewedAt) return [`${what}, by one that was told that another one leads`];
    const effect = method === "GET" ? "read" : "write";
    const late = at - renewedAt;
    if (late > LAST_CALL_MS[effect] + SEEN_LATE_MS) return [`${what}, ${late} ms after the last renewal`];
    const ended = (endings.get(k) ?? at) - renewedAt;
    const isOutlasted = effect === "write" && ended > LEASE_MS + SEEN_LATE_MS;
    return isOutlasted ? [`${what} ended ${ended} ms after the last renewal, later than the lease`] : [];
  };

  return {
    interceptor: { onAnswer },
    holder: () =>
      until(() => {
        const last = renewals().at(-1);
        return last?.k === writes.at(-1)?.k ? last : undefined;
      }),
    next: ({ k, notBy }) => until(() => renewals().find((one) => one.k > k && one.pid !== notBy)),
    last: (pid, before) => renewals().findLast((one) => one.pid === pid && one.k <= before.k),
    overstepped: (calls) => calls.flatMap(misplaced),
  };
}

/** @throws Error when that does not come */
async function until(look: () => Renewal | undefined): Promise<Renewal> {
  const found = await comes(() => Promise.resolve(look()), SOON_MS);
  if (found === undefined) throw new Error(`nobody took the lease ${LEASE_NAME}`);
  return found;
}
