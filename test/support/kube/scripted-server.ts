import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, RequestListener, Server, ServerResponse } from "node:http";

import { listen } from "../programs/free-port.ts";

interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * An answer: a status with a body (an object is sent as JSON; a refusal without one has the platform's JSON), or a
 * function that answers.
 */
export type Answer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | object;
    }
  | ((response: ServerResponse) => void);

export type ScriptedServer = Awaited<ReturnType<typeof startScriptedServer>>;

/** Starts a real HTTP server on loopback. @param make creates the server, e.g. with TLS; `url` is always http */
export async function startScriptedServer(make: (listener: RequestListener) => Server = createServer) {
  const arrived: Arrived[] = [];
  let answers: readonly Answer[] = [{}];
  const server: Server = make((request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      arrived.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      const [answer = {}, ...rest] = answers;
      if (rest.length > 0) answers = rest;
      reply(response, answer);
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    arrived,
    /** Sets the answers, which are sent in this order; the last one is repeated. */
    script: (...next: readonly Answer[]): void => {
      answers = next;
    },
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function reply(response: ServerResponse, answer: Answer): void {
  if (typeof answer === "function") return answer(response);
  const { status = 200, headers = {} } = answer;
  const { body = status < 400 ? "" : { status, error: "Refused" } } = answer;
  response.sendDate = false; // only if a test sets it
  response.writeHead(status, headers);
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
