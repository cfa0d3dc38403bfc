/** Programs of Go modules below test/: built into the per-user cache once, and again when the module changes. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { withLock } from "../control-plane/lock.ts";
import { lookPath } from "../control-plane/tools.ts";
import { endOfStderr, toolsFolder } from "./go-tools.ts";

const run = promisify(execFile);

export interface GoProgram {
  /** The name of the program and of its file. */
  readonly name: string;
  /** The folder of the module, with its go.mod and go.sum. */
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
  const { name, module } = program;
  const target = join(toolsFolder(), `${name}-${await keyOf(module)}-${process.platform}-${process.arch}`);
  if (await exists(target)) return target;
  const print = (line: string): boolean => process.stderr.write(`${line}\n`);
  await withLock(`${target}.lock`, print, async () => {
    if (await exists(target)) return;
    print(`${name}: building ${program.package} from source, once; about ${program.coldSeconds} s on two cores`);
    const folder = await mkdtemp(`${target}.build-`);
    try {
      await build(program, folder);
      await rename(folder, target);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
  return target;
}

async function build({ name, module, package: path, ldflags = "-s -w", addFiles }: GoProgram, folder: string) {
  const go = await lookPath("go", process.env["PATH"]);
  if (go === undefined) throw new Error(`no go on PATH to build ${path}: install it`);
  const env = { ...process.env, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-mod=readonly" };
  const command = async (args: readonly string[]): Promise<string> => {
    const running = run(go, args, { cwd: module, env, maxBuffer: 64 * 1024 * 1024 });
    const { stdout } = await running.catch((error: unknown) => {
      throw new Error(`go ${args[0]} of ${path} failed: ${endOfStderr(error)}`, { cause: error });
    });
    return stdout;
  };
  await command(["build", "-trimpath", "-ldflags", ldflags, "-o", join(folder, name), path]);
  await addFiles?.(folder, command);
}

async function keyOf(module: string): Promise<string> {
  const hash = createHash("sha256");
  const files = (await readdir(module)).filter((file) => /^go\.(?:mod|sum)$|\.go$/.test(file)).toSorted();
  for (const file of files) hash.update(`${file}\n`).update(await readFile(join(module, file)));
  return hash.digest("hex").slice(0, 16);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** @returns the folder of a module below test/ */
export function goModule(name: string): string {
  return join(dirname(import.meta.dirname), name);
}
