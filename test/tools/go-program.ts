/** Programs of Go modules below test/: built into the per-user cache once, and again when the module changes. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { cached, go } from "./go-tools.ts";

export interface GoProgram {
  /** The name of the program and of its file. */
  readonly name: string;
  /** The module: a folder below test/ with a go.mod and go.sum. */
  readonly module: string;
  /** The import path of the package to build. */
  readonly package: string;
  readonly ldflags?: string;
  /** The duration of a build on two cores with an empty build cache of Go. */
  readonly coldSeconds: number;
  /** Adds further files to the folder. @param go runs the go command in the module, and returns its output */
  readonly addFiles?: (folder: string, go: (args: readonly string[]) => Promise<string>) => Promise<void>;
}

/**
 * @returns the folder with the program. Its name contains a hash of the module's files, so that each version has one.
 * @throws Error with what is missing (Go) or how the build failed
 */
export async function findGoProgram(program: GoProgram): Promise<string> {
  const { name, module, package: path, ldflags = "-s -w", coldSeconds, addFiles } = program;
  const cwd = join(dirname(import.meta.dirname), module);
  return cached(`${name}-${await keyOf(cwd)}`, coldSeconds, async (folder) => {
    const run = (args: readonly string[]): Promise<string> => go(args, { cwd, env: { GOFLAGS: "-mod=readonly" } });
    await run(["build", "-trimpath", "-ldflags", ldflags, "-o", join(folder, name), path]);
    await addFiles?.(folder, run);
    return folder;
  });
}

async function keyOf(module: string): Promise<string> {
  const hash = createHash("sha256");
  const files = (await readdir(module)).filter((file) => /^go\.(?:mod|sum)$|\.go$/.test(file)).toSorted();
  for (const file of files) hash.update(`${file}\n`).update(await readFile(join(module, file)));
  return hash.digest("hex").slice(0, 16);
}
