/** README's commands, as somebody copies them. */
import { execFile } from "node:child_process";
import { cp, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);

/** @returns the text of a section: all below its heading, up to the next one. @throws Error when there is none */
export async function sectionOf(heading: string): Promise<string> {
  const text = await readFile(join(root, "README.md"), "utf8");
  const [, section] = new RegExp(`^## ${heading}$(.*?)(?=^## )`, "ms").exec(text) ?? [];
  if (section === undefined) throw new Error(`README has no section "${heading}"`);
  return section;
}

/** @returns the shell's blocks of a section, in order. */
export function blocksIn(section: string): readonly string[] {
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}

/** What is installed or built in a work tree, and its history. */
const NOT_COPIED = new Set(
  [".git", "node_modules", "dist", "coverage", "test-results", ".demo"].map((name) => join(root, name)),
);

/**
 * Copies the work tree as it is, committed or not, with a link to the packages that are installed. @param dir a new
 * folder
 */
export async function copyWorkTree(dir: string): Promise<void> {
  // make goes by the times.
  const options = { recursive: true, preserveTimestamps: true, filter: (path: string) => !NOT_COPIED.has(path) };
  await cp(root, dir, options);
  await symlink(join(root, "node_modules"), join(dir, "node_modules"));
}

/** Where a user's shell is. */
export interface Shell {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Types lines into a shell that ends at the first one that fails. @returns what it printed. @throws Error with the end
 * of that
 */
export async function type(lines: string, { cwd, env }: Shell): Promise<string> {
  try {
    const { stdout } = await run("/bin/bash", ["-euo", "pipefail", "-c", lines], { cwd, env });
    return stdout;
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    throw new Error(`${lines}\n${said.trim().split("\n").slice(-15).join("\n")}`, { cause: error });
  }
}
