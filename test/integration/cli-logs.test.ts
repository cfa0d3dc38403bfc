import { beforeEach, describe, expect, it } from "vitest";

import { systemClock } from "../../src/kube/api/clock.ts";
import type { Clock } from "../../src/kube/api/types.ts";
import { createCliEnv } from "./cli-env.ts";

describe("kubectl platform logs", () => {
  const user = createCliEnv("documented");
  beforeEach(() => {
    user.world.simulator.sim.faults.clear();
  });
  /** Changes members of all answers of an operation. */
  const edit = (operation: string, set: Readonly<Record<string, unknown>>) =>
    user.world.simulator.sim.faults.add({ match: { operation }, answer: { is: "edited", set }, count: null });

  it.each([
    ["as it is into a pipe", false, "a\u001B[2Jb\tc\u0007\n"],
    ["without what could change a terminal", true, "ab\tc\n"],
  ])("prints a log %s", async (_, shown, stdout) => {
    edit("listApplicationLog", { "results.0.message": "a\u001B[2Jb\tc\u0007" });
    expect(await user.run(["logs", "api", "--tail=1"], { shown })).toEqual({ code: 0, stdout, stderr: "" });
  });

  it("prints a log of an unknown structure as it is", async () => {
    const answer = { is: "status", status: 200, body: { lines: ["one"] } } as const;
    user.world.simulator.sim.faults.add({ match: { operation: "listApplicationLog" }, answer });
    expect(await user.run(["logs", "api"])).toEqual({ code: 0, stdout: '{"lines":["one"]}\n', stderr: "" });
  });

  it("follows a log through failed reads, and prints each line once", async () => {
    const { simulator, applicationId } = user.world;
    const service = simulator.world().services.get(applicationId);
    if (service === undefined) throw new Error("the application is there");
    const lines = (...messages: readonly string[]) =>
      messages.map((message) => ({ id: message, createdAt: new Date(0).toISOString(), message }));
    service.log = lines("one", "two", "two");
    const ctrlC = new AbortController();
    let shown = "";
    const running = user.run(["logs", "api", "--tail=2", "-f"], {
      signal: ctrlC.signal,
      clock: hurried(),
      onStdout: (text) => (shown += text),
    });
    await expect.poll(() => shown).toBe("two\ntwo\n");
    // The client itself tries a read three times.
    const unavailable = { is: "status", status: 503 } as const;
    simulator.sim.faults.add({ match: { operation: "listApplicationLog" }, answer: unavailable, count: 3 });
    service.log = [...service.log, ...lines("two", "\u001B[31mthree")];
    await expect.poll(() => shown, { timeout: 20_000 }).toBe("two\ntwo\ntwo\n\u001B[31mthree\n");
    ctrlC.abort();
    const stderr = expect.stringMatching(/^The log cannot be read now .*\n$/);
    expect(await running).toMatchObject({ code: 0, stderr });
  });
});

/** Time passes ten times as fast: five seconds between two looks at a log are half a second. */
function hurried(): Clock {
  const clock = systemClock();
  return { ...clock, monotonic: () => clock.monotonic() * 10, after: (ms, run) => clock.after(ms / 10, run) };
}
