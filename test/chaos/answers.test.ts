/** Conflicts and failures of the API server, at each of the operator's calls. */
import { describe, it, vi } from "vitest";

import { defaults, project, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { effects } from "./effects.ts";
import { openChaosEnv } from "./env.ts";
import type { Call, Decision } from "./tap/call.ts";

const ONCE = ["createProject", "createEnvironment", "createApplication", "deployApplication"];

function refusal(code: number, reason: string, headers: Readonly<Record<string, string>> = {}): Decision {
  return { do: "answer", status: code, headers, body: JSON.stringify({ kind: "Status", code, reason }) };
}

/** Returns the fields that a write sets, so that two writes of one object that set other fields differ. */
function shapeOf({ what, body }: Call): string {
  const { metadata = {}, status } = JSON.parse(body.toString()) as {
    readonly metadata?: { readonly annotations?: Readonly<Record<string, unknown>>; readonly finalizers?: unknown };
    readonly status?: unknown;
  };
  const annotations = Object.entries(metadata.annotations ?? {}).map(([name, value]) => `${name}=${value !== null}`);
  return [what, ...annotations.toSorted(), metadata.finalizers !== undefined, status !== undefined].join(" ");
}

describe("[B10] conflicts of the API server", () => {
  it.concurrent("three times in a row on every write cause four calls for each, and no duplicates", async ({
    task,
    expect,
  }) => {
    const attempts = new Map<string, number>();
    const decide = (call: Call): Decision => {
      if (!call.what.startsWith("kube PATCH")) return { do: "forward" };
      const shape = shapeOf(call);
      const nth = (attempts.get(shape) ?? 0) + 1;
      attempts.set(shape, nth);
      return nth % 4 === 0 ? { do: "forward" } : refusal(409, "Conflict");
    };
    await using env = await openChaosEnv({ surface: "full", interceptor: { decide } });
    await env.ready(...defaults(env), project("shop"));
    const unfinished = () => [...attempts.values()].filter((count) => count % 4 !== 0);
    await vi.waitFor(() => expect(unfinished()).toEqual([]), 20_000);
    expect(effects(env)).toEqual(["createProject"]);
    figure(task, "4 calls for a write with 3 conflicts", attempts.size);
  });

  it.concurrent("with a second writer between read and write lose no change of the other writer", async ({
    task,
    expect,
  }) => {
    let edits = 0;
    const decide = (call: Call): Decision => {
      if (!/PATCH platformprojects\/shop/.test(call.what) || edits >= 6) return { do: "forward" };
      edits += 1;
      const change =
        edits % 2 === 0
          ? { metadata: { labels: { [`edit-${edits}`]: "theirs" } } }
          : { spec: { description: `edit ${edits}` } };
      void env.patch("PlatformProject", "shop", change);
      return { do: "slow", ms: 250 };
    };
    await using env = await openChaosEnv({ surface: "full", interceptor: { decide } });
    await env.apply(...defaults(env), project("shop"));
    const shop = await env.waitFor(
      "PlatformProject",
      "shop",
      ({ metadata, status }) =>
        edits === 6 && JSON.stringify(status).includes(`"appliedGeneration":${metadata.generation}`),
      60_000,
    );
    expect(shop.metadata.labels).toEqual({ "edit-2": "theirs", "edit-4": "theirs", "edit-6": "theirs" });
    expect(effects(env).filter((effect) => effect.startsWith("create"))).toEqual(["createProject"]);
    expect([...env.platform.world().projects.values()].map(({ description }) => description)).toEqual(["edit 5"]);
    figure(task, "0 fields of another writer overwritten", edits);
  });
});

/** `times`: how often in a row each call fails. */
const failures: readonly (readonly [what: string, decision: Decision, times: number])[] = [
  ["429 with Retry-After", refusal(429, "TooManyRequests", { "retry-after": "1" }), 1],
  ["a reset after the effect", { do: "reset", effect: true }, 1],
  ["a reset before the effect", { do: "reset", effect: false }, 1],
  ["three 500s", refusal(500, "InternalError"), 3],
  ["a delay of 5 s", { do: "slow", ms: 5_000 }, 1],
  ["no answer", { do: "hang" }, 1],
];

describe("[B11] a failure of every call of the API server", () => {
  it.concurrent.for(failures)(
    "is followed by a repetition in time, and causes no duplicates: %s",
    { timeout: 400_000 },
    async ([what, decision, times], { task, expect }) => {
      /** The time between the first and the second call of each name, in milliseconds. */
      const waits = new Map<string, number>();
      let failed = 0;
      const decide = (call: Call): Decision => {
        if (call.side !== "kube") return { do: "forward" };
        if (call.nth === 1) waits.set(call.what, -performance.now());
        if (call.nth === 2) waits.set(call.what, (waits.get(call.what) ?? 0) + performance.now());
        if (call.nth > times) return { do: "forward" };
        failed += 1;
        return decision;
      };
      await using env = await openChaosEnv({ surface: "full", interceptor: { decide } });
      await env.apply(...defaults(env), ...tree(env, "shop"));
      await env.waitFor("PlatformApplication", "shop", { status: "True" }, 300_000);
      expect(effects(env)).toEqual(ONCE);
      if (what === "429 with Retry-After") {
        // A reconcile may be due earlier for another reason; these calls have only one.
        const early = [...waits].filter(([name, ms]) => /LIST|WATCH|POST/.test(name) && ms > 0 && ms < 990);
        expect(early).toEqual([]);
      }
      figure(task, `0 duplicates with ${failed} calls of the API server that fail by ${what}`);
    },
  );
});
