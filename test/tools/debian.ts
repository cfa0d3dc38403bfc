/** Programs that are Debian packages: from PATH, else installed by apt-get where that is allowed. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { withLock } from "../control-plane/lock.ts";
import { lookPath } from "../control-plane/tools.ts";
import { toolsFolder } from "./go-tools.ts";

const run = promisify(execFile);

/** Program → the package that holds it (Debian 12 and later). */
export const DEBIAN_PROGRAMS = {
  prometheus: "prometheus",
  promtool: "prometheus",
  "prometheus-alertmanager": "prometheus-alertmanager",
  "redis-server": "redis-server",
  chromium: "chromium",
  buildah: "buildah",
  "docker-registry": "docker-registry",
} as const;
export type DebianProgram = keyof typeof DEBIAN_PROGRAMS;

/**
 * @returns the program's path. As root, where there is an apt-get, its package is installed when it is missing; no
 * service of it is started.
 * @throws Error that says which package to install
 */
export async function findDebianProgram(program: DebianProgram): Promise<string> {
  const found = await lookPath(program, process.env["PATH"]);
  if (found !== undefined) return found;
  const what = DEBIAN_PROGRAMS[program];
  const apt = await lookPath("apt-get", process.env["PATH"]);
  if (apt === undefined || process.getuid?.() !== 0) {
    throw new Error(`no ${program} on PATH: install it (Debian's package ${what})`);
  }
  const tell = (line: string): boolean => process.stderr.write(`${line}\n`);
  await withLock(`${toolsFolder()}/apt.lock`, tell, async () => {
    if ((await lookPath(program, process.env["PATH"])) !== undefined) return;
    tell(`${program}: installing Debian's package ${what}`);
    // With this run level no maintainer script starts a service (invoke-rc.d(8)).
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
    const options = { env, maxBuffer: 64 * 1024 * 1024 };
    await run(apt, ["update", "-qq"], options);
    await run(apt, ["install", "-y", "-qq", "--no-install-recommends", what], options);
  });
  const installed = await lookPath(program, process.env["PATH"]);
  if (installed === undefined) throw new Error(`Debian's package ${what} was installed and holds no ${program}`);
  return installed;
}
