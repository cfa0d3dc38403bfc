/** The kubectl plugin, run from the sources, for the commands that the demo prints. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

const sources = join(import.meta.dirname, "../../src/plugin.ts");

/**
 * Writes `kubectl-platform` and its completion into a folder for PATH.
 * @param dir the demo's folder
 * @returns the folder for PATH
 */
export async function installPlugin(dir: string): Promise<string> {
  const bin = join(dir, "bin");
  const links = join(dir, "plugin");
  for (const folder of [bin, links]) await mkdir(folder);
  for (const name of ["kubectl-platform", "kubectl_complete-platform"]) {
    // The name by which the program is called selects its command line.
    const link = join(links, `${name}.ts`);
    await symlink(sources, link);
    await writeFile(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${link}' "$@"\n`, { mode: 0o755 });
  }
  return bin;
}
