import type { KubeClient, KubeQuery, KubeRequest } from "../../../src/kube/api/transport.ts";
import type { Json } from "../../../src/kube/api/types.ts";

/** One watch that the code under test opened. */
export interface ScriptedWatch {
  readonly path: string;
  readonly query: KubeQuery;
  /** Whether its client has aborted it. */
  readonly aborted: () => boolean;
  /** Sends one event as a line. */
  send(event: Json): void;
  /** Sends a text unchanged. */
  raw(text: string): void;
  /** Ends the stream normally, like a server. */
  close(): void;
  /** Ends it with an error, like a reset connection; before any event, like a refusal. */
  fail(error: Error): void;
}

/** An API server with scripted answers, without HTTP, for tests of order and time. */
export interface ScriptedClient extends KubeClient {
  readonly calls: readonly KubeRequest[];
  readonly watches: readonly ScriptedWatch[];
  /** @returns the newest watch. */
  watch(): ScriptedWatch;
}

/** @param answer returns the answer to a request, or throws its error */
export function scriptedClient(answer: (request: KubeRequest) => Json | Promise<Json>): ScriptedClient {
  const calls: KubeRequest[] = [];
  const watches: ScriptedWatch[] = [];
  return {
    calls,
    watches,
    watch: () => {
      const newest = watches.at(-1);
      if (newest === undefined) throw new Error("no watch was opened");
      return newest;
    },
    request: async (request) => {
      calls.push(request);
      return answer(request);
    },
    stream: ({ path, query = {}, signal }) => {
      const { watch, bytes } = openWatch(path, query, signal);
      watches.push(watch);
      return bytes;
    },
  };
}

function openWatch(path: string, query: KubeQuery, signal: AbortSignal) {
  const stream = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 1_000 });
  const writer = stream.writable.getWriter();
  const ignore = (): undefined => undefined;
  writer.closed.catch(ignore);
  signal.addEventListener("abort", () => void writer.abort(new Error("aborted")).catch(ignore), { once: true });
  const raw = (text: string): void => void writer.write(Buffer.from(text)).catch(ignore);
  const watch: ScriptedWatch = {
    path,
    query,
    aborted: () => signal.aborted,
    raw,
    send: (event) => {
      raw(`${JSON.stringify(event)}\n`);
    },
    close: () => void writer.close().catch(ignore),
    fail: (error) => void writer.abort(error).catch(ignore),
  };
  return { watch, bytes: stream.readable };
}
