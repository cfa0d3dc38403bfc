/**
 * Chromium, driven by the Chrome DevTools Protocol over a pair of pipes (flag --remote-debugging-pipe): messages are
 * JSON, each ended by a zero byte. It needs no port and ends with this process.
 */
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import type { Readable, Writable } from "node:stream";

import { afterAll } from "vitest";
import { z } from "zod";

import { findDebianProgram } from "../tools/debian.ts";
import { newFolder } from "./folder.ts";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-extensions",
  "--no-first-run",
  "--no-default-browser-check",
  "--remote-debugging-pipe",
];
const ANSWER_MS = 30_000;

const Message = z.looseObject({
  id: z.number().optional(),
  sessionId: z.string().optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ message: z.string() }).optional(),
});
type Members = Readonly<Record<string, unknown>>;

type Listener = (params: Members) => void;

export type Tab = ReturnType<typeof tabOf>;

/** Starts Chromium with an empty profile until the tests of the file end. @throws Error when it is not installed */
export async function startChromium() {
  const program = await findDebianProgram("chromium");
  const profile = await newFolder("chromium");
  const child = spawn(program, [...FLAGS, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  const [, , , input, output] = child.stdio as unknown as [null, null, null, Writable, Readable];
  const follow = (): void => {
    child.kill("SIGKILL");
  };
  process.once("exit", follow);
  const protocol = connect(input, output);
  afterAll(async () => {
    child.kill("SIGKILL");
    await exited;
    process.off("exit", follow);
  });
  return {
    tab: async (width: number, height: number): Promise<Tab> => {
      const { targetId } = await protocol.send("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await protocol.send("Target.attachToTarget", { targetId, flatten: true });
      const tab = tabOf(protocol, targetId, z.string().parse(sessionId));
      for (const domain of ["Page", "Runtime", "Network", "Log"]) await tab.send(`${domain}.enable`);
      const metrics = { width, height, deviceScaleFactor: 1, mobile: false };
      await tab.send("Emulation.setDeviceMetricsOverride", metrics);
      await tab.send("Page.bringToFront");
      return tab;
    },
  };
}

function connect(input: Writable, output: Readable) {
  const pending = new Map<number, PromiseWithResolvers<Members>>();
  const events = new EventEmitter();
  let count = 0;
  let rest = "";

  const receive = (text: string): void => {
    const { id, sessionId, method, params = {}, result, error } = Message.parse(JSON.parse(text));
    events.emit(`${sessionId} ${method}`, params);
    const request = pending.get(id ?? -1);
    if (error === undefined) request?.resolve(result ?? {});
    else request?.reject(new Error(error.message));
  };
  output.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\0");
    rest = parts.pop() ?? "";
    parts.forEach(receive);
  });

  return {
    send: async (method: string, params: Members = {}, sessionId?: string): Promise<Members> => {
      const id = (count += 1);
      const request = Promise.withResolvers<Members>();
      pending.set(id, request);
      const timer = setTimeout(() => {
        request.reject(new Error(`Chromium does not answer ${method}`));
      }, ANSWER_MS);
      input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      try {
        return await request.promise;
      } finally {
        clearTimeout(timer);
        pending.delete(id);
      }
    },
    on: (sessionId: string, method: string, listener: Listener): void => {
      events.on(`${sessionId} ${method}`, listener);
    },
  };
}

const Evaluated = z.object({
  result: z.looseObject({ value: z.unknown().optional() }),
  exceptionDetails: z.looseObject({ text: z.string(), exception: z.looseObject({}).optional() }).optional(),
});

function tabOf(protocol: ReturnType<typeof connect>, targetId: unknown, sessionId: string) {
  const send = (method: string, params?: Members): Promise<Members> => protocol.send(method, params, sessionId);
  return {
    /** Sends a command of the protocol. @returns its result. @throws Error with the browser's message */
    send,
    on: (method: string, listener: Listener): void => {
      protocol.on(sessionId, method, listener);
    },
    open: async (url: string): Promise<void> => {
      const loaded = Promise.withResolvers<void>();
      protocol.on(sessionId, "Page.loadEventFired", () => {
        loaded.resolve();
      });
      const { errorText } = await send("Page.navigate", { url });
      if (errorText !== undefined) throw new Error(`Chromium cannot open ${url}: ${JSON.stringify(errorText)}`);
      await loaded.promise;
    },
    /**
     * Evaluates an expression like a user's action. @returns its value, of a promise the result. @throws Error with the
     * page's error
     */
    evaluate: async (expression: string): Promise<unknown> => {
      const options = { awaitPromise: true, returnByValue: true, userGesture: true };
      const answer = await send("Runtime.evaluate", { expression, ...options });
      const { result, exceptionDetails } = Evaluated.parse(answer);
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
      return result.value;
    },
    close: async () => {
      await protocol.send("Target.closeTarget", { targetId });
    },
  };
}
