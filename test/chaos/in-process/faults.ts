/** The faults of one exchange, and plans that inject them. */
import type { Surface } from "../../../simulator/base/operations.ts";

/** A crash kills the operator: before the request, after its effect, or before an effect that lands late. */
export const CRASHES = ["before", "after", "late"] as const;
/**
 * The operator keeps running. cut: no answer, no effect. lost: the effect, but no answer. slow: no answer within the
 * deadline, and the effect after it. 500: no effect. 502: the effect. 429: no effect. half: the effect and half an
 * answer. 409: another client has just written the object.
 */
const PLATFORM_WRITE = ["cut", "lost", "slow", "500", "502", "429", "half"] as const;
const PLATFORM_READ = ["cut", "500", "429", "half"] as const;
const CLUSTER_WRITE = ["cut", "lost", "slow", "500", "502", "409"] as const;

export type FaultName =
  | (typeof CRASHES)[number]
  | (typeof PLATFORM_WRITE)[number]
  | (typeof PLATFORM_READ)[number]
  | (typeof CLUSTER_WRITE)[number];

/** A request of the operator to the platform, or a write to the cluster. */
export interface Exchange {
  readonly server: "cluster" | "platform";
  /** E.g. "POST /organization/…/project". */
  readonly request: string;
  readonly writes: boolean;
}

/** Returns the request without ids, e.g. "POST /database/{id}/stop"; "" for undefined. */
export function nameOf(exchange: Exchange | undefined): string {
  return exchange?.request.replaceAll(UUID, "{id}") ?? "";
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Returns the faults that apply to an exchange; a read has no late effect. */
export function faultsAt(exchange: Exchange): readonly FaultName[] {
  if (exchange.server === "cluster") return [...CRASHES, ...CLUSTER_WRITE];
  return exchange.writes ? [...CRASHES, ...PLATFORM_WRITE] : ["before", ...PLATFORM_READ];
}

/** Exchanges are numbered from 1; a restart does not reset the count. */
export interface Plan {
  readonly surface: Surface;
  readonly faults: readonly { readonly at: number; readonly fault: FaultName }[];
}

/** Formats a plan, e.g. "full:17:after+23:lost". */
export function planText({ surface, faults }: Plan): string {
  return `${surface}:${faults.map(({ at, fault }) => `${at}:${fault}`).join("+")}`;
}

/** Parses the format of `planText`. @throws RangeError */
export function parsePlan(text: string): Plan {
  const [, surface, rest = ""] = /^(full|documented):(.*)$/.exec(text) ?? [];
  const known = new Set<string>([...CRASHES, ...PLATFORM_WRITE, ...PLATFORM_READ, ...CLUSTER_WRITE]);
  const faults = rest.split("+").map((part) => {
    const [at, fault = ""] = part.split(":");
    if (!(Number(at) > 0) || !known.has(fault)) throw new RangeError(`no fault: ${part}`);
    return { at: Number(at), fault: fault as FaultName };
  });
  if (surface === undefined) throw new RangeError(`no plan: ${text}`);
  return { surface: surface as Surface, faults };
}
