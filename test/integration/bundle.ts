/** The built bundle under each of its program names. */
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { inject } from "vitest";

import { runToEnd } from "../support/programs/programs.ts";

const NAMES = ["platform-operator", "kubectl-platform", "kubectl_complete-platform"];

export type Bundle = Awaited<ReturnType<typeof openBundle>>;

/** Links the bundle of this run under its names. @param kubectlPath the kubectl that will call it */
export async function openBundle(kubectlPath: string) {
  const dir = await mkdtemp(join(tmpdir(), "bundle-"));
  for (const name of NAMES) await symlink(inject("program"), join(dir, name));
  await symlink(kubectlPath, join(dir, "kubectl"));
  const path = [dir, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
  // Later starts take half the time of the first one.
  const usual = { PATH: path, HOME: dir, NODE_COMPILE_CACHE: join(dir, "compile-cache") };
  return {
    /** A folder with the program under each of its names, and kubectl. */
    bin: dir,
    /** Runs a program of `bin` or of the system, with only the given environment variables. */
    run: ([program = "", ...args]: readonly string[], env: Readonly<Record<string, string>> = {}, input = "") =>
      runToEnd(program, args, { env: { ...usual, ...env }, input }),
    remove: () => rm(dir, { recursive: true }),
  };
}
