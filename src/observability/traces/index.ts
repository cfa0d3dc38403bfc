/** Opens the traces, if they are configured. */
import type { Traces, TracesOptions } from "./traces.ts";

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
