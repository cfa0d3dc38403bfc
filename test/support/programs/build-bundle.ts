import { execFile } from "node:child_process";
import { chmod } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../../..");

export async function buildBundle(dir: string): Promise<string> {
  const file = join(dir, "operator.js");
  const rolldown = join(dirname(createRequire(import.meta.url).resolve("rolldown/package.json")), "bin/cli.mjs");
  const config = join(root, "rolldown.config.ts");
  await promisify(execFile)(process.execPath, [rolldown, "--config", config, "--file", file], { cwd: root });
  await chmod(file, 0o755);
  return file;
}
