import type { KubeClient, KubeQuery, KubeRequest } from "../../../src/kube/api/transport.ts";
import type { Json } from "../../../src/kube/api/types.ts";

/** One watch that the code under test opened. */
export interface ScriptedWatch {
  readonly path: string;
  readonly query: KubeQuery;
  /** Whether the one who opened it let go. */
  readonly aborted: () => boolean;
  /** Sends one event as a line. */
  send(event: Json): void;
  /** Sends text as it is. */
  raw(text: string): void;
  /** Ends it as a server does. */
  close(): void;
  /** Breaks it off, as a reset connection does; before anything was sent, as a refusal does. */
  fail(error: Error): void;
}

/** An API server that answers as a test says, below HTTP: for order and time; HTTP itself has its own tests. */
export interface ScriptedClient extends KubeClient {
  readonly calls: readonly KubeRequest[];
  readonly watches: readonly ScriptedWatch[];
  /** @returns the newest watch. */
  watch(): ScriptedWatch;
}

/** @param answer what a request gets; what it throws is what the request throws. */
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
