/** An OpenTelemetry collector that keeps all spans. */
import { z } from "zod";

import { startScriptedServer } from "../kube/scripted-server.ts";

const Value = z.object({ stringValue: z.string().optional(), intValue: z.union([z.int(), z.string()]).optional() });
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .transform((list) =>
    Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)])),
  );
const Span = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  name: z.string(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  status: z.object({ code: z.int().optional(), message: z.string().optional() }),
  attributes: Attributes,
});
const Export = z.object({
  resourceSpans: z.array(
    z.object({
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

export type CollectedSpan = z.infer<typeof Span>;

export type Collector = Awaited<ReturnType<typeof startCollector>>;

export async function startCollector() {
  const server = await startScriptedServer();
  server.script({ body: {}, headers: { "content-type": "application/json" } });
  return {
    ...server,
    /** All spans so far, in the order of their arrival. */
    spans: (): readonly CollectedSpan[] =>
      server.arrived
        .filter(({ url }) => url === "/v1/traces")
        .flatMap(({ body }) => Export.parse(JSON.parse(body)).resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans),
  };
}
