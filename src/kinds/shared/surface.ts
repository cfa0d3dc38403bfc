/** What is known of the platform where a request may have members beyond the specification. */
import type { Supports } from "../../engine/contract/kind.ts";

export interface SurfaceFacts {
  readonly supports: Supports;
}

/** Reads beyond the specification, one of which precedes each such request. */
const READS = ["getProject", "listEnvironments", "listApplications", "listDatabases", "listServices"];

/** Whether the platform takes what deployed services do: it shows what the specification does not have. */
export function takesMore({ supports }: SurfaceFacts): boolean {
  return READS.some((operation) => supports(operation) === "Supported");
}
