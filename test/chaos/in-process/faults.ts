/** What can go wrong at one exchange, and plans of it that can be told and replayed. */
import type { Surface } from "../../../simulator/base/operations.ts";

/** The operator is killed: before the request was sent, after its effect, or before an effect that lands later. */
export const CRASHES = ["before", "after", "late"] as const;
/**
 * The operator lives on. cut: no answer, no effect. lost: the effect, but no answer. slow: no answer within the
 * deadline, and the effect after it. 500: no effect. 502: the effect. 429: no effect. half: the effect and half an
 * answer. 409: somebody else has just written the object.
 */
const PLATFORM_WRITE = ["cut", "lost", "slow", "500", "502", "429", "half"] as const;
const PLATFORM_READ = ["cut", "500", "429", "half"] as const;
const CLUSTER_WRITE = ["cut", "lost", "slow", "500", "502", "409"] as const;

export type FaultName =
  | (typeof CRASHES)[number]
  | (typeof PLATFORM_WRITE)[number]
  | (typeof PLATFORM_READ)[number]
  | (typeof CLUSTER_WRITE)[number];

/** One request of the operator to the cluster, if it writes, or to the platform. */
export interface Exchange {
  readonly with: "cluster" | "platform";
  /** E.g. "POST /organization/…/project". */
  readonly what: string;
  readonly writes: boolean;
}

/** @returns what an exchange is, without ids, e.g. "POST /database/{id}/stop"; "" for none */
export function nameOf(exchange: Exchange | undefined): string {
  return exchange?.what.replaceAll(UUID, "{id}") ?? "";
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** @returns all that can go wrong at an exchange; a read has no effect that could come later. */
export function faultsAt(exchange: Exchange): readonly FaultName[] {
  if (exchange.with === "cluster") return [...CRASHES, ...CLUSTER_WRITE];
  return exchange.writes ? [...CRASHES, ...PLATFORM_WRITE] : ["before", ...PLATFORM_READ];
}

/** Exchanges are numbered from 1 on; after a restart the numbering goes on. */
export interface Plan {
  readonly surface: Surface;
  readonly faults: readonly { readonly at: number; readonly fault: FaultName }[];
}

/** @returns e.g. "full:17:after+23:lost" */
export function planText({ surface, faults }: Plan): string {
  return `${surface}:${faults.map(({ at, fault }) => `${at}:${fault}`).join("+")}`;
}

/** @param text as of planText. @throws RangeError */
export function parsePlan(text: string): Plan {
  const [, surface, rest = ""] = /^(full|documented):(.*)$/.exec(text) ?? [];
  const known = new Set<string>([...CRASHES, ...PLATFORM_WRITE, ...PLATFORM_READ, ...CLUSTER_WRITE]);
  const faults = rest.split("+").map((one) => {
    const [at, fault = ""] = one.split(":");
    if (!(Number(at) > 0) || !known.has(fault)) throw new RangeError(`no fault: ${one}`);
    return { at: Number(at), fault: fault as FaultName };
  });
  if (surface === undefined) throw new RangeError(`no plan: ${text}`);
  return { surface: surface as Surface, faults };
}
