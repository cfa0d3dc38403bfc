/** Traces: a span for each reconcile, and one in it for each call of the platform. */
import type { KubeObject } from "../../kube/api/types.ts";
import type { Config } from "../../operator/config/config.ts";
import type { Logger } from "../logger.ts";
import type { ResultLabel } from "../metrics/controller-runtime.ts";
import type { EndedCall, RunningReconcile } from "../reconcile-tracker.ts";
import type { Redactor } from "../secrets.ts";

/** Its methods are called in order of time. None of them throws or blocks, whatever happens to the collector. */
export interface Traces {
  began(running: RunningReconcile, at: Date): void;
  /** @param made a call of that reconcile @param commit the commit to deploy */
  called(running: RunningReconcile, made: EndedCall, commit?: string): void;
  /** @param object as it is afterwards, if it exists */
  ended(running: RunningReconcile, at: Date, result: ResultLabel, object: KubeObject | undefined): void;
  /** Returns the trace id of a reconcile; undefined while there are no traces. */
  idOf(running: RunningReconcile): string | undefined;
  /**
   * Returns the headers with which the platform can join the trace of a reconcile (W3C Trace Context), where that is
   * configured.
   */
  headersFor(running: RunningReconcile): Readonly<Record<string, string>>;
  /** Returns the number of spans that never reached the collector. */
  dropped(): number;
  /** Sends the remaining spans, for half a second at most. */
  stop(): Promise<void>;
}

export interface TracesOptions {
  readonly config: Pick<Config, "otlpEndpoint" | "otlpPropagate" | "instance">;
  readonly version: string;
  readonly redactor: Redactor;
  readonly log: Logger;
}

/** @returns traces for the endpoint; without an endpoint nothing is sent, and OpenTelemetry is not loaded */
export async function openTraces(options: TracesOptions): Promise<Traces> {
  const { otlpEndpoint } = options.config;
  if (otlpEndpoint === undefined) return NO_TRACES;
  const { createOtlpTraces } = await import("./otlp.ts");
  return createOtlpTraces({ ...options, endpoint: otlpEndpoint });
}

export const NO_TRACES: Traces = {
  began: () => {},
  called: () => {},
  ended: () => {},
  idOf: () => undefined,
  headersFor: () => ({}),
  dropped: () => 0,
  stop: () => Promise.resolve(),
};
