/** That a custom resource cannot be seen deletes nothing; only its deletionTimestamp does (docs/architecture.md §7). */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { database, defaults, project, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import { changesSince, nothing, timeMachine } from "./past.ts";
import type { Call, Decision } from "./tap/call.ts";

const DELETE = { lifecycle: { deletionPolicy: "Delete" } };
const soon = { timeout: 60_000, interval: 50 };

/** Lists and watches of all kinds are answered as if their CRDs were gone. */
function unserved({ what }: Call): Decision {
  if (!/^kube (LIST|WATCH) \w*platform/.test(what)) return { do: "forward" };
  const status = { kind: "Status", code: 404, reason: "NotFound" };
  return { do: "answer", status: 404, body: JSON.stringify(status) };
}

const absences = (["lists that are empty", "CRDs that are not served"] as const).flatMap((what) => [
  { what, when: "while the operator runs" },
  { what, when: "when it starts" },
]);

describe("[N1] absence", () => {
  const machine = timeMachine();
  let env: ChaosEnv;

  beforeAll(async () => {
    env = await openChaosEnv({ surface: "full", interceptor: machine });
    await env.apply(...defaults(env), ...tree(env, "shop", DELETE), database("orders", "shop", DELETE));
    await settled();
  });
  afterAll(async () => {
    await env[Symbol.asyncDispose]();
  });

  const settled = async (): Promise<void> => {
    await env.waitFor("PlatformDatabase", "orders", { status: "True" }, 60_000);
    await env.waitFor("PlatformApplication", "shop", { status: "True" }, 60_000);
  };

  it.for(absences)("of everything: $what, $when: nothing changes, nor is created again", async (row, { task }) => {
    const { what, when } = row;
    const since = env.calls.length;
    const isStart = when === "when it starts";
    if (isStart) await env.kill();
    if (what === "CRDs that are not served") env.interceptor = { ...machine, decide: unserved };
    machine.travel(what === "lists that are empty" ? await nothing(env) : new Map());
    if (isStart) await env.start();
    // Cluster-scoped connections are everybody's.
    const kinds = isStart ? 13 : 12;
    await vi.waitFor(() => {
      const lists = env.calls.filter(({ k, what: name }) => k > since && name.startsWith("kube LIST "));
      expect(new Set(lists.map(({ what: name }) => name)).size).toBeGreaterThanOrEqual(kinds);
    }, soon);
    env.interceptor = machine;
    machine.back();
    const marker = `marker-${absences.indexOf(row)}`;
    await env.apply(project(marker));
    await env.waitFor("PlatformProject", marker, { status: "True" }, 60_000);
    await settled();
    expect(changesSince(env, since)).toEqual([`createProject ${marker}`]);
    figure(task, "0 changes of the platform by the absence of 4 resources under deletionPolicy Delete");
  });
});
