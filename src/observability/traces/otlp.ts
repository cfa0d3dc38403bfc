/**
 * Traces with OpenTelemetry's SDK, sent as OTLP/HTTP in JSON. No other file uses OpenTelemetry. This one is loaded only
 * if an endpoint is configured, and changes none of the SDK's globals.
 */
import { setTimeout } from "node:timers/promises";

import { type Attributes, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";

import { parseKey } from "../../engine/contract/keys.ts";
import { OPERATOR } from "../../operator/config/names.ts";
import { operationEntry } from "../../platform/codec/operations.ts";
import type { Logger } from "../logger.ts";
import type { EndedCall, RunningReconcile } from "../reconcile-tracker.ts";
import { targetIdOf } from "../telemetry.ts";
import type { Traces, TracesOptions } from "./traces.ts";

/** The deadline of a batch; meanwhile the next ones wait. */
const SEND_MS = 5_000;
/** How long spans are gathered before they are sent. */
const GATHER_MS = 2_000;
const BATCH = 256;
/** How long the last spans may take when the operator stops. */
const LAST_MS = 500;
const PREFIX = "platform_operator";

/** The attributes of a span; undefined ones are left out. */
type Facts = Readonly<Record<string, string | number | undefined>>;

export function createOtlpTraces(options: TracesOptions & { readonly endpoint: string }): Traces {
  const { config, endpoint, log, redactor, version } = options;
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: SEND_MS });
  const bounded = boundedExport(exporter, log, endpoint);
  const batches = new BatchSpanProcessor({
    exporter: bounded.exporter,
    maxQueueSize: MOST_SPANS,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: GATHER_MS,
    exportTimeoutMillis: SEND_MS,
  });
  const provider = new TracerProvider({
    sampler: new AlwaysOnSampler(),
    spanProcessors: [bounded.processor(batches)],
    resource: resourceFromAttributes({
      "service.name": OPERATOR,
      "service.version": version,
      "service.instance.id": config.instance,
    }),
  });
  const tracer = provider.getTracer(OPERATOR, version);
  const spans = new WeakMap<RunningReconcile, Span>();
  const attributes = (facts: Facts): Attributes => {
    const known = Object.entries(facts).filter(([, value]) => value !== undefined);
    return Object.fromEntries(
      known.map(([name, value]) => [name, typeof value === "string" ? redactor.redact(value) : value]),
    );
  };

  const called: Traces["called"] = (running, { at, call, connection }, commit) => {
    const parent = spans.get(running);
    if (parent === undefined) return;
    const span = tracer.startSpan(
      call.operation,
      {
        kind: SpanKind.CLIENT,
        startTime: at.getTime() - call.durationMs,
        attributes: attributes({ ...factsOf({ call, connection }), [`${PREFIX}.commit`]: commit }),
      },
      trace.setSpan(ROOT_CONTEXT, parent),
    );
    if (call.failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: call.failure });
    span.end(at);
  };

  return {
    began: (running, at) => {
      const { kind, namespace, name } = parseKey(running.key);
      const facts = { kind, namespace: namespace === "" ? undefined : namespace, name, pass: running.id };
      const named = Object.fromEntries(Object.entries(facts).map(([key, value]) => [`${PREFIX}.${key}`, value]));
      const started = { startTime: at, attributes: attributes(named) };
      spans.set(running, tracer.startSpan(`reconcile ${kind}`, started, ROOT_CONTEXT));
    },
    called,
    ended: (running, at, result, object) => {
      // Records a call whose cause the engine has not reported because the reconcile failed before.
      if (running.changed !== undefined) called(running, running.changed);
      const span = spans.get(running);
      if (span === undefined) return;
      const { generation, uid } = object?.metadata ?? {};
      span.setAttributes(
        attributes({ [`${PREFIX}.generation`]: generation, [`${PREFIX}.uid`]: uid, [`${PREFIX}.result`]: result }),
      );
      if (result === "error") span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(at);
    },
    idOf: (running) => spans.get(running)?.spanContext().traceId,
    headersFor: (running) => {
      const span = config.otlpPropagate ? spans.get(running) : undefined;
      if (span === undefined) return {};
      const { traceId, spanId } = span.spanContext();
      return { traceparent: `00-${traceId}-${spanId}-01` };
    },
    dropped: () => bounded.dropped(),
    stop: async () => {
      await Promise.race([provider.forceFlush().catch(() => {}), setTimeout(LAST_MS, undefined, { ref: false })]);
    },
  };
}

/** Names are those of the semantic conventions, if they have one. */
function factsOf({ call, connection }: Pick<EndedCall, "call" | "connection">): Facts {
  const { operation: name, method, status, attempt, requestId, failure, sent } = call;
  return {
    "http.request.method": method,
    "http.response.status_code": status === 0 ? undefined : status,
    "http.request.resend_count": attempt === 1 ? undefined : attempt - 1,
    "url.template": operationEntry(name).path,
    [`${PREFIX}.operation`]: name,
    [`${PREFIX}.connection`]: connection,
    [`${PREFIX}.id`]: targetIdOf(call),
    [`${PREFIX}.request_id`]: requestId,
    [`${PREFIX}.result`]: sent ? (failure ?? "ok") : "held",
  };
}

/** The number of spans that may wait, including those being sent: some megabytes at most. */
export const MOST_SPANS = 2_048;

/** ExportResultCode.SUCCESS of a package that is no direct dependency. */
const SUCCESS = 0;

/**
 * Limits the waiting spans and counts the dropped ones, because the SDK drops spans silently. It logs the first failure
 * after a success, and the first success after a failure.
 */
export function boundedExport(exporter: SpanExporter, log: Logger, address: string) {
  let waiting = 0;
  let dropped = 0;
  let failing = false;

  const counted: SpanExporter = {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        waiting -= spans.length;
        const { code }: { readonly code: number } = result;
        const failed = code !== SUCCESS;
        if (failed) dropped += spans.length;
        if (failed && !failing) {
          log.warn("traces do not reach their collector: dropping them", { address, count: spans.length });
        }
        if (!failed && failing) log.info("traces reach their collector again", { address });
        failing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
  return {
    exporter: counted,
    /** Passes spans on to `next` while there is room. */
    processor: (next: SpanProcessor): SpanProcessor => ({
      onStart: (span, context) => next.onStart(span, context),
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
    dropped: () => dropped,
  };
}
