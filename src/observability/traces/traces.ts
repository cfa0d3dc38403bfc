/** Traces of what the operator does: a span for each reconcile, and one in it for each call of the platform. */
import type { KubeObject } from "../../kube/api/types.ts";
import type { Outcome } from "../../kube/queue/controller.ts";
import type { Config } from "../../operator/config/config.ts";
import type { Logger } from "../logger.ts";
import type { MadeCall, Pass } from "../passes.ts";
import type { Redactor } from "../secrets.ts";

/** Told in the order in which things happen. None of it throws, waits or fails, whatever becomes of the collector. */
export interface Traces {
  began(pass: Pass, at: Date): void;
  /** @param made of that pass @param commit that it was to deploy */
  called(pass: Pass, made: MadeCall, commit?: string): void;
  /** @param object as it is now, if it still is */
  ended(pass: Pass, at: Date, result: Outcome, object: KubeObject | undefined): void;
  /** The id of the trace of a reconcile; undefined while there are no traces. */
  idOf(pass: Pass): string | undefined;
  /**
   * The header by which the platform can take part in the trace of a reconcile (W3C Trace Context), where that is
   * wanted.
   */
  headersFor(pass: Pass): Readonly<Record<string, string>>;
  /** How many spans never reached the collector. */
  dropped(): number;
  /** Sends what is left, for half a second at most. */
  stop(): Promise<void>;
}

export interface TracesOptions {
  readonly config: Pick<Config, "otlpEndpoint" | "otlpPropagate" | "instance">;
  readonly version: string;
  readonly redactor: Redactor;
  readonly log: Logger;
}
