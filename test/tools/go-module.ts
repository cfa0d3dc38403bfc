/** Files of Go modules outside of their packages: examples, manifests. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { z } from "zod";

import { lookPath } from "../control-plane/tools.ts";

const Module = z.object({ Dir: z.string() });

/** @returns the module's folder, which Go downloads and checks when it is missing. @throws Error without Go */
export async function goModuleFolder(module: string, version: string): Promise<string> {
  const go = await lookPath("go", process.env["PATH"]);
  if (go === undefined) throw new Error(`no go on PATH: files of the Go module ${module} are needed`);
  const { stdout } = await promisify(execFile)(go, ["mod", "download", "-json", `${module}@${version}`]);
  return Module.parse(JSON.parse(stdout)).Dir;
}
