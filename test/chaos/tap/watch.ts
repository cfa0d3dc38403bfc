import type { IncomingMessage, ServerResponse } from "node:http";
import { createInterface } from "node:readline";
import { TLSSocket } from "node:tls";

import type { Call, Director, Watch } from "./call.ts";

/** Hands the lines of a watch on, one by one, unless the test says otherwise. */
export function openWatch(call: Call, answer: IncomingMessage, response: ServerResponse, director: Director): void {
  let held: string[] | undefined;
  const send = (line: string): void => {
    if (held === undefined) response.write(`${line}\n`);
    else held.push(line);
  };
  const watch: Watch = {
    call,
    plural: call.what.split(" ").at(-1) ?? "",
    rewrite: (line) => [line],
    hold: () => {
      held ??= [];
    },
    release: () => {
      const waiting = held ?? [];
      held = undefined;
      waiting.forEach(send);
    },
    inject: (line) => {
      response.write(`${line}\n`);
    },
    end: () => {
      response.end();
    },
    reset: () => {
      cut(response);
    },
  };
  director.watched?.(watch);
  const lines = createInterface({ input: answer });
  lines.on("error", () => {});
  lines.on("line", (line) => {
    watch.rewrite(line).forEach(send);
  });
  // An end of the far side while lines are held would tell that something happened.
  answer.on("close", () => {
    if (held === undefined) response.end();
  });
  answer.on("error", () => response.destroy());
  response.on("close", () => answer.destroy());
}

/** Breaks the connection of a response: by a reset, where Node can send one, else by an end within TLS. */
export function cut({ socket }: ServerResponse): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket?.resetAndDestroy();
}
