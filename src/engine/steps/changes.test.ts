import { describe, expect, it } from "vitest";

import { DELETE, type Env, on, remote, started } from "../../../test/support/engine/env.ts";
import { HOUR } from "../../../test/support/platform/durations.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import { CAUSES } from "../context/context.ts";
import { wasSent } from "./changes.ts";

it("the cause of a change is the spec for a new object, and the deletion at the end", async () => {
  const env = await started();
  env.widget("a", { commit: "c1", ...DELETE });
  await env.run(5_000);
  env.cluster.spec("Widget", "a", { name: "a", commit: "c2", ...DELETE });
  await env.run(5_000);
  env.cluster.remove("Widget", "a");
  await env.run(5_000);
  const told = env.changes.map(({ op, cause, result }) => `${op} ${cause} ${result}`);
  const deploy = "deploy SpecChanged ok";
  expect(told).toEqual(["create SpecChanged ok", deploy, deploy, "delete Deleted ok"]);
  const { uid } = env.changes[0] ?? {};
  expect(uid).toMatch(/./);
  expect(new Set(env.changes.map((change) => change.uid)).size).toBe(1);
  const { note } = env.events.findLast(({ reason }) => reason === "PlatformChanged") ?? {};
  expect(note).toMatch(/^The platform carried out delete for \S+, because the resource is being deleted\.$/);
});

it.each<[cause: keyof typeof CAUSES, op: string, happens: (env: Env) => void]>([
  ["Drifted", "update", (env) => env.world.change(remote(env).id, { note: "theirs" })],
  ["Recreated", "create", (env) => env.world.remotes.clear()],
])("the cause of a change that others caused is %s, in its record and its event", async (cause, op, happens) => {
  const env = await on("Full", { note: "ours", lifecycle: { onMissing: "Recreate" } });
  env.changes.length = 0;
  happens(env);
  await env.run(HOUR);
  expect(env.changes).toMatchObject([{ op, cause, result: "ok" }]);
  const notes = env.events.flatMap(({ reason, note }) => (reason === "PlatformChanged" ? [note] : []));
  expect(notes.at(-1)).toMatch(new RegExp(`carried out ${op}\\b.*, because ${CAUSES[cause]}\\.$`));
});

describe("the events of changes", () => {
  it("are one for a create and one for the outcome, and none for a call that a new generation caused", async () => {
    const env = await started();
    const told = () => env.events.splice(0).map(({ type, reason, action }) => `${type} ${reason} ${action}`);
    told();
    env.widget("a", { commit: "c1" });
    await env.run(60_000);
    expect(told()).toEqual(["Normal PlatformChanged create", "Normal Available Reconcile"]);
    env.cluster.spec("Widget", "a", { name: "a", commit: "c2" });
    await env.run(60_000);
    expect(told()).toEqual(["Normal Available Reconcile"]);
  });

  it("are the same for the same failure, so that they are counted and not repeated", async () => {
    const env = await started();
    env.world.hooks.before = async ({ op }) => {
      const message = `busy since ${String(env.clock.monotonic())}`;
      if (op === "deploy") await Promise.reject(new ApiError("deploy", { is: "Conflict" }, 409, message));
    };
    env.widget("a", { commit: "c1" });
    await env.run(60_000);
    const refused = env.events.filter(({ reason }) => reason === "PlatformChangeRefused");
    expect(refused.length).toBeGreaterThan(1);
    expect(new Set(refused.map(({ note, type }) => `${type} ${note}`)).size).toBe(1);
    expect(refused[0]?.note).toMatch(
      /^The platform refused deploy for \S+, commit c1 \(Conflict, HTTP status 409\), which was sent because /,
    );
  });
});

it.each<[ApiFailure, number, boolean]>([
  [{ is: "OverBudget", retryAfterMs: 1 }, 0, false],
  [{ is: "RateLimited", retryAfterMs: 1 }, 0, false],
  [{ is: "RateLimited", retryAfterMs: 1 }, 429, true],
  [{ is: "Unauthorized" }, 0, false],
  [{ is: "Unauthorized" }, 401, true],
  [{ is: "Refused" }, 0, false],
  [{ is: "Unreachable" }, 0, false],
  [{ is: "OutcomeUnknown" }, 0, true],
  [{ is: "Conflict" }, 409, true],
])("a call that failed with %o and status %i was sent: %s", (failure, status, sent) => {
  expect(wasSent(new ApiError("deploy", failure, status, ""))).toBe(sent);
});
