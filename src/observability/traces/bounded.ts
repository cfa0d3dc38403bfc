/** Keeps what waits for the collector within bounds, and counts what does not reach it. */
import type { SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";

/** How many spans may wait, those that are being sent included: some megabytes at most. */
export const MOST_SPANS = 2_048;

export interface BoundedExport {
  readonly exporter: SpanExporter;
  /** Hands on to `next` what there is room for. */
  processor(next: SpanProcessor): SpanProcessor;
  dropped(): number;
}

/** Told once each time it changes. */
export interface BoundedExportEvents {
  readonly failed: (count: number) => void;
  readonly works: () => void;
}

/** ExportResultCode.SUCCESS of a package that is none of our own dependencies. */
const SUCCESS = 0;

/** The SDK drops silently; here each span is counted in and out. */
export function boundedExport(exporter: SpanExporter, events: BoundedExportEvents): BoundedExport {
  let waiting = 0;
  let dropped = 0;
  let failing = false;

  return {
    dropped: () => dropped,
    exporter: {
      export: (spans, done) => {
        exporter.export(spans, (result) => {
          waiting -= spans.length;
          const { code }: { readonly code: number } = result;
          const failed = code !== SUCCESS;
          if (failed) dropped += spans.length;
          if (failed && !failing) events.failed(spans.length);
          if (!failed && failing) events.works();
          failing = failed;
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
      forceFlush: async () => exporter.forceFlush?.(),
    },
    processor: (next) => ({
      onStart: (span, context) => {
        next.onStart(span, context);
      },
      onEnd: (span) => {
        if (waiting >= MOST_SPANS) {
          dropped += 1;
          return;
        }
        waiting += 1;
        next.onEnd(span);
      },
      forceFlush: () => next.forceFlush(),
      shutdown: () => next.shutdown(),
    }),
  };
}
