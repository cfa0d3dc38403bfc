/** Files of Go modules that no package holds: examples, manifests. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { z } from "zod";

import { lookPath } from "../control-plane/tools.ts";

const Module = z.object({ Dir: z.string() });

/** @returns the module's folder, downloaded and checked by Go where it is missing. @throws Error without Go */
export async function goModuleFolder(module: string, version: string): Promise<string> {
  const go = await lookPath("go", process.env["PATH"]);
  if (go === undefined) throw new Error(`no go on PATH: files of the Go module ${module} are needed`);
  const { stdout } = await promisify(execFile)(go, ["mod", "download", "-json", `${module}@${version}`]);
  return Module.parse(JSON.parse(stdout)).Dir;
}
