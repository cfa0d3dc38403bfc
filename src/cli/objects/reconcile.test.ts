import { describe, expect, it } from "vitest";

import { manualClock, settle } from "../../../test/support/kube/clock.ts";
import { scriptedClient } from "../../../test/support/kube/scripted-client.ts";
import { stored } from "../../../test/support/kube/stored.ts";
import { listBody, startScriptedCluster } from "../../../test/support/programs/scripted-cluster.ts";
import { PAUSED } from "../../api/names.ts";
import { KubeError } from "../../kube/api/errors.ts";
import type { KubeRequest } from "../../kube/api/transport.ts";
import type { Json, JsonObject, KubeFailure, KubeObject } from "../../kube/api/types.ts";
import type { Call } from "../base/call.ts";
import { requestAndWait } from "./reconcile.ts";

const TIMEOUT_MS = 300_000;

/** An application whose status covers its spec, with a condition. */
function application(type: string, more: JsonObject = {}, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  const conditions = [
    { type, status: "True", reason: "InvalidSpec", message: "It is invalid." },
    ...(type === "Ready" ? [] : [{ type: "Ready", status: "False", reason: "InvalidSpec" }]),
  ];
  const status = { observedGeneration: metadata.generation ?? 1, conditions, ...more };
  return stored("PlatformApplication", "web", { metadata, status });
}

/** Requests a reconcile of `before`, and waits. @param list answers the lists of the watch */
function waiting(before: KubeObject, list: (request: KubeRequest) => Json | Promise<Json>) {
  const clock = manualClock();
  const ended = new AbortController();
  const reported: string[] = [];
  const client = scriptedClient(list);
  const call = {
    cluster: async () => ({ client, patch: async () => ({}) }),
    wrote: async () => {},
    host: { clock, interrupt: () => ended.signal, io: { stderr: { write: () => true } } },
    io: { stdout: { write: () => true } },
    program: "kubectl platform",
    report: (line: string) => void reported.push(line),
  } as unknown as Call;
  const state: { code?: number; failure?: unknown } = {};
  void requestAndWait(call, [before], TIMEOUT_MS).then(
    (code) => (state.code = code),
    (failure: unknown) => (state.failure = failure),
  );
  return { client, clock, interrupt: () => ended.abort(), reported, state };
}

describe("reconcile --wait", () => {
  it.each<[string, KubeObject, KubeObject]>([
    ["was not Stalled before", application("Progressing"), application("Stalled")],
    ["was Stalled with an older spec", application("Stalled"), application("Stalled", {}, { generation: 2 })],
  ])("exits with 1 when an object is Stalled that %s", async (_what, before, now) => {
    const { clock, state, reported } = waiting(before, () => listBody([now]));
    await clock.advance(1_000);
    expect(state).toEqual({ code: 1 });
    expect(reported).toContain("papp/web: InvalidSpec: It is invalid.");
  });

  it("gives the operator 30 seconds with an object that was Stalled before, then exits with 1", async () => {
    const object = application("Stalled", { lastHandledReconcileAt: "2026-11-20T10:00:00.000Z" });
    const { clock, state } = waiting(object, () => listBody([object]));
    await clock.advance(29_000);
    expect(state).toEqual({});
    await clock.advance(2_000);
    expect(state).toEqual({ code: 1 });
  });

  const failures: readonly KubeFailure[] = ["TooManyRequests", "Server", "Unreachable"];
  it.each(failures)("keeps waiting for an object after the list failed with %s", async (failure) => {
    let fails = true;
    const { clock, state, reported } = waiting(application("Stalled"), () => {
      if (fails) throw new KubeError(failure, 0, "GET /x: words");
      return listBody([application("Ready", { lastHandledReconcileAt: token })]);
    });
    const token = clock.now().toISOString();
    await settle();
    expect(reported).toEqual(["platformapplications cannot be read now: GET /x: words; retrying."]);
    expect(state).toEqual({});
    fails = false;
    await clock.advance(2_000);
    expect(state).toEqual({ code: 0 });
  });

  it("fails when the user may not list the objects", async () => {
    const { state } = waiting(application("Ready"), () => {
      throw new KubeError("Forbidden", 403, "GET /x: 403");
    });
    await settle();
    expect(state.failure).toMatchObject({ failure: "Forbidden" });
  });

  /** A list that never answers until its signal aborts it. */
  const unanswered = ({ signal }: KubeRequest) =>
    new Promise<Json>((_, reject) => {
      signal?.addEventListener("abort", () => {
        reject(new KubeError("Timeout", 0, "GET /x: aborted"));
      });
    });

  it("exits with 3 at its timeout while the first list has no answer", async () => {
    const { clock, state, reported } = waiting(application("Ready"), unanswered);
    await clock.advance(TIMEOUT_MS);
    expect(state).toEqual({ code: 3 });
    expect(reported).toEqual([
      "papp/web: it could not be read.",
      "Timed out; the operator continues by itself. Watch it with: kubectl platform tree -w",
    ]);
  });

  it("exits with 130 on Ctrl-C while the first list has no answer", async () => {
    const { interrupt, state, reported } = waiting(application("Ready"), unanswered);
    await settle();
    interrupt();
    await settle();
    expect(state).toEqual({ code: 130 });
    expect(reported).toContainEqual(expect.stringContaining("Nothing is undone"));
  });
});

it("rollback --wait changes nothing of an object that is paused", async () => {
  const object = application("Ready", {}, { annotations: { [PAUSED]: "true" } });
  const cluster = await startScriptedCluster((method) => (method === "GET" ? object : 500));
  const stderr =
    "papp/web is paused, so the operator ignores the request. Resume it with: kubectl platform resume papp/web\n";
  expect(await cluster.run(["rollback", "web", "--wait"])).toEqual({ code: 1, stdout: "", stderr });
  expect(cluster.arrived).toHaveLength(1);
});
