import type { IncomingMessage, ServerResponse } from "node:http";
import { createInterface } from "node:readline";
import { TLSSocket } from "node:tls";

import type { Call, Interceptor, Watch } from "./call.ts";

/** Forwards a watch line by line, under the interceptor's control. */
export function openWatch(
  call: Call,
  answer: IncomingMessage,
  response: ServerResponse,
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

/** Resets the connection of a response; a TLS connection is destroyed, as Node cannot reset it. */
export function resetConnection({ socket }: ServerResponse): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket?.resetAndDestroy();
}
