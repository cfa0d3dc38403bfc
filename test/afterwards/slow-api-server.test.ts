/** The lease, and the lists of twenty namespaces, while the API server is slow. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { createSequence, type Decision } from "../chaos/tap/call.ts";
import { kubeName } from "../chaos/tap/names.ts";
import { openTap } from "../chaos/tap/tap.ts";
import { endpointOf } from "../control-plane/access.ts";
import type { Exit, RunningOperator } from "../support/env/operator.ts";
import { withdrawRights } from "../support/env/rights.ts";
import { createStage } from "../support/env/stage.ts";
import { certificate } from "../support/kube/tls.ts";

const MORE = Array.from({ length: 19 }, (_, index) => String(index));
const EXPIRED = `${JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } })}\n`;
const SLOW_MS = 3_000;

const stage = createStage("slow", { more: MORE });
const sequence = createSequence();
let isSlow = false;
const expired = new Set<string>();
let tap: Awaited<ReturnType<typeof openTap>> | undefined;
let operator: RunningOperator | undefined;
const watches = new Set<{ end(): void }>();

const isWatch = (url: string): boolean => url.includes("watch=true");
const isList = (url: string): boolean => url.includes("limit=");

/** Ends each watch once with 410, and delays every list, once the API server is slow. */
function decide({ method, url }: { readonly method: string; readonly url: string }): Decision {
  const [path = ""] = url.split("?");
  if (!isSlow || method !== "GET") return { do: "forward" };
  if (isList(url)) return { do: "slow", ms: SLOW_MS };
  if (!isWatch(url) || expired.has(path)) return { do: "forward" };
  expired.add(path);
  return { do: "answer", status: 200, body: EXPIRED };
}

beforeAll(async () => {
  const { server, ca } = await endpointOf(stage.facts);
  tap = await openTap({
    side: "kube",
    target: { url: server, ca },
    sequence,
    name: kubeName,
    interceptor: () => ({ decide, onWatch: (watch) => void watches.add(watch) }),
    pids: () => [],
    crash: () => {},
  });
  await stage.open({ server: tap.url, ca: certificate });
  operator = await stage.start([]);
});

afterAll(async () => {
  await operator?.kill();
  // Before its rights go: RBAC would refuse the lists that the tap delays, and rights.test.ts would report them.
  await tap?.close();
  await withdrawRights(stage.client, stage.operatorNamespace);
  await stage.client.close();
});

it("[B11] the leader keeps its lease while 240 watches end with 410 and each list takes three seconds", async () => {
  const messages = (): readonly string[] => (operator?.logs() ?? []).map(({ message }) => message);
  await vi.waitFor(() => expect(messages()).toContain("leading"), { timeout: 60_000, interval: 100 });
  isSlow = true;
  const from = sequence.calls.length;
  for (const watch of watches) watch.end();
  let exit: Exit | undefined;
  void operator?.exited.then((how) => (exit = how));
  const lists = () => sequence.calls.slice(from).filter(({ url }) => isList(url));
  await vi.waitUntil(() => exit !== undefined || lists().length > 220, { timeout: 100_000, interval: 200 });
  const ending = (operator?.logs() ?? []).slice(-3).map((line) => JSON.stringify(line));
  expect(exit, `how the operator ended, after ${ending.join("\n")}`).toBeUndefined();
});
