import { describe, expect, it } from "vitest";

import { main } from "./main.ts";

async function run(argv: readonly string[], onStdout = (_text: string): void => {}) {
  let stdout = "";
  let stderr = "";
  const code = await main(argv, {
    stdout: (text) => {
      stdout += text;
      onStdout(text);
    },
    stderr: (text) => (stderr += text),
  });
  return { code, stdout, stderr };
}

describe("the simulator's program", () => {
  it("serves the API with the given token until it gets a signal", async () => {
    let out = "";
    const argv = ["--token", "let-me-in", "--surface", "full", "--speed", "instant", "--seed", "cli"];
    const done = run(argv, (text) => (out += text));
    await expect.poll(() => out.split("\n").length).toBeGreaterThan(5);
    const value = (name: string): string => new RegExp(`^${name} +(\\S+)$`, "m").exec(out)?.[1] ?? "";
    const response = await fetch(`${value("platform")}/organization/${value("organization")}/project`, {
      headers: { authorization: "Token let-me-in" },
    });
    expect(response.status).toBe(200);
    expect((await fetch(`${value("control")}/settings`)).status).toBe(200);
    await response.body?.cancel();
    process.emit("SIGTERM");
    expect(await done).toMatchObject({ code: 0, stderr: "" });
  });

  it("serves the API, but not the control endpoint, at the given address", async () => {
    let out = "";
    const done = run(["--host", "127.0.0.2"], (text) => (out += text));
    await expect.poll(() => out.split("\n").length).toBeGreaterThan(5);
    const url = /^openapi +(\S+)$/m.exec(out)?.[1] ?? "";
    expect(new URL(url).hostname).toBe("127.0.0.2");
    expect((await fetch(url)).status).toBe(200);
    expect(/^control +http:..([^:]+)/m.exec(out)?.[1]).toBe("127.0.0.1");
    process.emit("SIGTERM");
    await done;
  });

  it("prints its usage with --help", async () => {
    const { code, stdout } = await run(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("--control-port");
  });

  it.each(["--surface=half", "--speed=0", "--speed=fast", "--port=70000", "--nonsense"])("rejects %s", async (flag) => {
    const { code, stderr } = await run([flag]);
    expect(code).toBe(64);
    expect(stderr).toContain("Usage: node simulator.js");
  });
});
