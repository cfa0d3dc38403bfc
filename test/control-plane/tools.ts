import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** What can be asked for. The upstream download holds the first three only. */
export type Tool = "kube-apiserver" | "etcd" | "kubectl" | "kube-controller-manager" | "kube-scheduler";

/** What a way that fills the cache is given: each finished binary goes to `dir` under its own name, by a rename. */
export interface FillJob {
  readonly dir: string;
  readonly tools: readonly Tool[];
  /** Takes one line on what is being done, how far it is and how long it may take. */
  readonly progress: (line: string) => void;
}

/** Those of the tools that are no executable files in `dir`. */
export async function missingIn(dir: string, tools: readonly Tool[]): Promise<Tool[]> {
  const found = await Promise.all(tools.map((tool) => isExecutable(join(dir, tool))));
  return tools.filter((_, index) => found[index] === false);
}

/** The first executable of this name on PATH, or undefined. */
export async function lookPath(name: string): Promise<string | undefined> {
  for (const dir of (process.env["PATH"] ?? "").split(delimiter)) {
    const file = join(dir, name);
    if (dir !== "" && (await isExecutable(file))) return file;
  }
  return undefined;
}

/** Whether `file` can be run. */
export function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
