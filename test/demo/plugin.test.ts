import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, it, onTestFinished } from "vitest";

import { installPlugin } from "./plugin.ts";

it("installs the kubectl plugin and its completion for PATH", async () => {
  const dir = await mkdtemp(join(tmpdir(), "demo-plugin-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const bin = await installPlugin(dir);
  const run = async (name: string, ...args: readonly string[]) =>
    (await promisify(execFile)(join(bin, name), args, { env: { PATH: "/usr/bin:/bin" } })).stdout;
  expect(await run("kubectl-platform", "help")).toMatch(/^Usage: kubectl platform <command>/);
  expect(await run("kubectl_complete-platform", "cluster", "me")).toMatch(/^metrics\t/);
});
