/** Only a deletionTimestamp deletes an object on the platform, not a missing resource (docs/project/architecture.md §7). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { database, defaults, project, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import { changesSince, createStaleCache, emptySnapshot } from "./stale-cache.ts";
import type { Call, Decision } from "./tap/call.ts";

const DELETE = { lifecycle: { deletionPolicy: "Delete" } };
const POLL = { timeout: 60_000, interval: 50 };

/** Answers lists and watches as if the CRDs were gone. */
function unserved({ what }: Call): Decision {
  if (!/^kube (LIST|WATCH) \w*platform/.test(what)) return { do: "forward" };
  const status = { kind: "Status", code: 404, reason: "NotFound" };
  return { do: "answer", status: 404, body: JSON.stringify(status) };
}

const absences = (["empty lists", "CRDs that are not served"] as const).flatMap((what) => [
  { what, when: "while the operator runs" },
  { what, when: "when it starts" },
]);

describe("[N1] the absence of resources", () => {
  const cache = createStaleCache();
  let env: ChaosEnv;

  beforeAll(async () => {
    env = await openChaosEnv({ surface: "full", interceptor: cache });
    await env.ready(...defaults(env), ...tree(env, "shop", DELETE), database("orders", "shop", DELETE));
  });
  afterAll(() => env[Symbol.asyncDispose]());

  it.for(absences)("changes nothing on the platform and creates nothing twice: $what, $when", async (row, { task }) => {
    const { what, when } = row;
    const since = env.calls.length;
    const isStart = when === "when it starts";
    if (isStart) await env.kill();
    if (what === "CRDs that are not served") env.interceptor = { ...cache, decide: unserved };
    cache.serve(what === "empty lists" ? await emptySnapshot(env) : new Map());
    if (isStart) await env.start();
    // All environments share the cluster-scoped connections. When the operator starts, it lists a namespace's other kinds
    // once the first one was listed.
    const atStart = what === "empty lists" ? 12 : 2;
    const kinds = isStart ? atStart : 11;
    const lists = () => env.calls.slice(since).filter((call) => call.what.startsWith("kube LIST "));
    await expect.poll(() => new Set(lists().map((call) => call.what)).size, POLL).toBeGreaterThanOrEqual(kinds);
    env.interceptor = cache;
    cache.restore();
    const marker = `marker-${absences.indexOf(row)}`;
    await env.ready(project(marker));
    await env.waitFor("PlatformDatabase", "orders", { status: "True" });
    await env.waitFor("PlatformApplication", "shop", { status: "True" });
    expect(changesSince(env, since)).toEqual([`createProject ${marker}`]);
    figure(task, "0 changes of the platform while 4 resources under deletionPolicy Delete are absent");
  });
});
