/** Runs README's commands. */
import { execFile } from "node:child_process";
import { cp, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);

/** @returns the text of a section, from its heading to the next one. @throws Error when there is none */
export async function sectionOf(heading: string): Promise<string> {
  const text = await readFile(join(root, "README.md"), "utf8");
  const [, section] = new RegExp(`^## ${heading}$(.*?)(?=^## )`, "ms").exec(text) ?? [];
  if (section === undefined) throw new Error(`README has no section "${heading}"`);
  return section;
}

/** @returns the shell blocks of a section, in order */
export function blocksIn(section: string): readonly string[] {
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}

/** Folders of a work tree that are not copied: installed and built files, and the history. */
const NOT_COPIED = new Set(
  [".git", "node_modules", "dist", "coverage", "test-results", ".demo"].map((name) => join(root, name)),
);

/**
 * Copies the work tree with uncommitted changes, and links the installed packages.
 * @param dir a new folder
 */
export async function copyWorkTree(dir: string): Promise<void> {
  // make compares modification times.
  const options = { recursive: true, preserveTimestamps: true, filter: (path: string) => !NOT_COPIED.has(path) };
  await cp(root, dir, options);
  await symlink(join(root, "node_modules"), join(dir, "node_modules"));
}

/** The folder and environment of a user's shell. */
export interface Shell {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs lines in a shell that exits at the first failing one. @returns the output. @throws Error with the end of the
 * output
 */
export async function type(lines: string, { cwd, env }: Shell): Promise<string> {
  try {
    const { stdout } = await run("/bin/bash", ["-euo", "pipefail", "-c", lines], { cwd, env });
    return stdout;
  } catch (error) {
    const output = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    throw new Error(`${lines}\n${output.trim().split("\n").slice(-15).join("\n")}`, { cause: error });
  }
}
