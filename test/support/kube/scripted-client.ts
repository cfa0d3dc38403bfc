import type { KubeError } from "../../../src/kube/api/errors.ts";
import type { KubeClient, KubeQuery, KubeRequest } from "../../../src/kube/api/transport.ts";
import type { Json } from "../../../src/kube/api/types.ts";

/**
 * An API server with scripted answers, without HTTP, for tests of order and time.
 * @param answer returns the answer to a request, or throws its error
 */
export function scriptedClient(answer: (request: KubeRequest) => Json | Promise<Json>) {
  const calls: KubeRequest[] = [];
  const watches: ReturnType<typeof openWatch>["watch"][] = [];
  const own = {
    /** Whether the next watches are accepted; otherwise their clients wait. */
    accepts: true,
    /** As `KubeClient.watchSilenceMs`: undefined over HTTP/1.1. */
    silenceMs: undefined as number | undefined,
  };
  const client: KubeClient = {
    request: async (request) => {
      calls.push(request);
      return answer(request);
    },
    stream: ({ query = {}, signal, opened }) => {
      const { watch, bytes } = openWatch(query, signal);
      watches.push(watch);
      if (own.accepts) opened?.();
      return bytes;
    },
    watchSilenceMs: () => own.silenceMs,
  };
  return Object.assign(own, {
    ...client,
    calls,
    watches,
    watch: () => {
      const newest = watches.at(-1);
      if (newest === undefined) throw new Error("no watch was opened");
      return newest;
    },
  });
}

/** @returns answers: each of the errors once, then always `answer` */
export function afterFailures(failures: readonly KubeError[], answer: Json) {
  const left = [...failures];
  return async (): Promise<Json> => {
    const failure = left.shift();
    if (failure !== undefined) throw failure;
    return answer;
  };
}

function openWatch(query: KubeQuery, signal: AbortSignal) {
  const stream = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 1_000 });
  const writer = stream.writable.getWriter();
  const ignore = (): undefined => undefined;
  writer.closed.catch(ignore);
  signal.addEventListener("abort", () => void writer.abort(new Error("aborted")).catch(ignore), { once: true });
  const raw = (text: string): void => void writer.write(Buffer.from(text)).catch(ignore);
  const watch = {
    query,
    aborted: () => signal.aborted,
    raw,
    /** Sends one event as a line. */
    send: (event: Json) => raw(`${JSON.stringify(event)}\n`),
    /** Ends the stream normally, like a server. */
    close: () => void writer.close().catch(ignore),
    /** Ends it with an error, like a reset connection; before any event, like a refusal. */
    fail: (error: Error) => void writer.abort(error).catch(ignore),
  };
  return { watch, bytes: stream.readable };
}
