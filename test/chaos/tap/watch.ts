import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Writable } from "node:stream";
import { TLSSocket } from "node:tls";

import type { Call, Interceptor, Watch } from "./call.ts";

/** A request of the operator over HTTP/1.1 or HTTP/2. */
export type TappedRequest = IncomingMessage | Http2ServerRequest;

/** The response to it: what `ServerResponse` and `Http2ServerResponse` have in common. */
export interface TappedResponse extends Writable {
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
}

/** Returns the connection of a request; undefined once it is closed. The socket of an HTTP/2 request is a proxy object. */
export function socketOf(request: TappedRequest): Socket | undefined {
  return "stream" in request ? request.stream.session?.socket : request.socket;
}

/** Forwards a watch line by line, under the interceptor's control. */
export function openWatch(
  call: Call,
  answer: IncomingMessage,
  response: TappedResponse,
  interceptor: Interceptor,
): void {
  let buffer: string[] | undefined;
  const send = (line: string): void => {
    if (buffer === undefined) response.write(`${line}\n`);
    else buffer.push(line);
  };
  const watch: Watch = {
    call,
    plural: call.what.split(" ").at(-1) ?? "",
    rewrite: (line) => [line],
    hold: () => {
      buffer ??= [];
    },
    release: () => {
      const lines = buffer ?? [];
      buffer = undefined;
      lines.forEach(send);
    },
    inject: (line) => {
      response.write(`${line}\n`);
    },
    end: () => {
      response.end();
    },
    reset: () => {
      resetConnection(response);
    },
  };
  interceptor.onWatch?.(watch);
  const lines = createInterface({ input: answer });
  lines.on("error", () => {});
  lines.on("line", (line) => {
    watch.rewrite(line).forEach(send);
  });
  // While lines are buffered, the operator must not notice that the server has closed the watch.
  answer.on("close", () => {
    if (buffer === undefined) response.end();
  });
  answer.on("error", () => response.destroy());
  response.on("close", () => answer.destroy());
}

/**
 * Resets the connection of a response; a TLS connection is destroyed, as Node cannot reset it. Over HTTP/2 the stream is
 * reset: others share the connection.
 */
export function resetConnection(response: TappedResponse): void {
  if (response instanceof Http2ServerResponse) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  if (!(response instanceof ServerResponse)) return;
  const { socket } = response;
  if (socket instanceof TLSSocket) socket.destroy();
  else socket?.resetAndDestroy();
}
