import { afterEach, describe, expect, it, vi } from "vitest";

import { simulate } from "./simulate.ts";

/** Runs the command and collects what it prints. */
function run(...argv: string[]): { done: Promise<number>; out: string[]; err: string[] } {
  const out: string[] = [];
  const err: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void out.push(line));
  vi.spyOn(console, "error").mockImplementation((line: string) => void err.push(line));
  return { done: simulate(argv), out, err };
}

afterEach(() => vi.restoreAllMocks());

describe("platform-operator simulate", () => {
  it("serves until a signal, with the token it was given", async () => {
    const { done, out } = run("--token", "let-me-in", "--surface", "full", "--speed", "instant", "--seed", "cli");
    await expect.poll(() => out.length).toBeGreaterThan(5);
    const value = (name: string): string =>
      out
        .find((line) => line.startsWith(name))
        ?.split(/\s+/)
        .at(-1) ?? "";
    const response = await fetch(`${value("platform")}/organization/${value("organization")}/project`, {
      headers: { authorization: "Token let-me-in" },
    });
    expect(response.status).toBe(200);
    expect((await fetch(`${value("control")}/settings`)).status).toBe(200);
    await response.body?.cancel();
    process.emit("SIGTERM");
    expect(await done).toBe(0);
  });

  it("explains itself", async () => {
    const { done, out } = run("--help");
    expect(await done).toBe(0);
    expect(out.join()).toContain("--control-port");
  });

  it.each([["--surface", "half"], ["--speed", "0"], ["--speed", "fast"], ["--port", "70000"], ["--nonsense"]])(
    "refuses %s %s",
    async (...argv) => {
      const { done, err } = run(...argv);
      expect(await done).toBe(64);
      expect(err.join()).toContain("Usage:");
    },
  );
});
