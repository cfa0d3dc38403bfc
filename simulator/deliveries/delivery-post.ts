import { request } from "node:http";

import type { Clock } from "../base/clock.ts";

/** How an attempt ended: the status of the answer, or why there was none. */
export type Ended = number | "refused" | "timeout" | "unreachable";

/** Reports whether a target is on this machine: the simulator sends requests to no other. */
export function isLoopback(target: string): boolean {
  if (!URL.canParse(target)) return false;
  const { protocol, hostname } = new URL(target);
  return protocol === "http:" && (hostname === "localhost" || hostname === "[::1]" || /^127\.[\d.]+$/.test(hostname));
}

/** Sends a delivery once. Never rejects. */
export function post(
  clock: Clock,
  target: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  timeoutMs: number,
): Promise<Ended> {
  if (!isLoopback(target)) return Promise.resolve("refused");
  return new Promise((resolve) => {
    const sent = request(target, { method: "POST", headers: { ...headers, "content-type": "application/json" } });
    const cancel = clock.after(timeoutMs, () => {
      resolve("timeout");
      sent.destroy();
    });
    const end = (ended: Ended): void => {
      cancel();
      resolve(ended);
    };
    sent.on("response", (answer) => {
      answer.resume();
      end(answer.statusCode ?? 0);
    });
    sent.on("error", () => {
      end("unreachable");
    });
    sent.end(body);
  });
}
