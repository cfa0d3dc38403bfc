/** The built bundle under each of its program names. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { inject } from "vitest";

import type { Ended } from "./cli.ts";

const NAMES = ["platform-operator", "kubectl-platform", "kubectl_complete-platform"];

export type Bundle = Awaited<ReturnType<typeof openBundle>>;

/** Links the bundle of this run under its names. @param kubectlPath the kubectl that will call it */
export async function openBundle(kubectlPath: string) {
  const dir = await mkdtemp(join(tmpdir(), "bundle-"));
  for (const name of NAMES) await symlink(inject("program"), join(dir, name));
  await symlink(kubectlPath, join(dir, "kubectl"));
  const path = [dir, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);

  return {
    /** A folder with the program under each of its names, and kubectl. */
    bin: dir,
    /** Runs a program of `bin` or of the system, with only the given environment variables. */
    run: ([program = "", ...args]: readonly string[], env: Readonly<Record<string, string>> = {}, input = "") =>
      new Promise<Ended>((resolve, reject) => {
        // Later starts take half the time of the first one.
        const cache = { NODE_COMPILE_CACHE: join(dir, "compile-cache") };
        const child = spawn(program, args, { env: { PATH: path, HOME: dir, ...cache, ...env } });
        let stdout = "";
        let stderr = "";
        child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
        child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
        child.stdin.on("error", () => {}).end(input);
        child.on("error", reject);
        child.on("close", (code) => {
          resolve({ code, stdout, stderr });
        });
      }),
    remove: () => rm(dir, { recursive: true }),
  };
}
