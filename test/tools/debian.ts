/** Programs of Debian packages: from PATH, else installed by apt-get where that is allowed. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { withLock } from "../control-plane/lock.ts";
import { lookPath } from "../control-plane/tools.ts";
import { toolsFolder } from "./go-tools.ts";

const run = promisify(execFile);

/** The package of each program (Debian 12 and later). */
export const DEBIAN_PROGRAMS = {
  prometheus: "prometheus",
  promtool: "prometheus",
  "prometheus-alertmanager": "prometheus-alertmanager",
  "redis-server": "redis-server",
  chromium: "chromium",
  buildah: "buildah",
  "docker-registry": "docker-registry",
  jq: "jq",
  tinyproxy: "tinyproxy-bin",
} as const;
export type DebianProgram = keyof typeof DEBIAN_PROGRAMS;

/**
 * @returns the program's path. As root, with apt-get, a missing package is installed; none of its services is started.
 * @throws Error with the package to install
 */
export async function findDebianProgram(program: DebianProgram): Promise<string> {
  const found = await lookPath(program);
  if (found !== undefined) return found;
  const debianPackage = DEBIAN_PROGRAMS[program];
  const apt = await lookPath("apt-get");
  if (apt === undefined || process.getuid?.() !== 0) {
    throw new Error(`no ${program} on PATH: install it (Debian's package ${debianPackage})`);
  }
  const print = (line: string): boolean => process.stderr.write(`${line}\n`);
  await withLock(`${toolsFolder()}/apt.lock`, print, async () => {
    if ((await lookPath(program)) !== undefined) return;
    print(`${program}: installing Debian's package ${debianPackage}`);
    // With this run level no maintainer script starts a service (invoke-rc.d(8)).
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
    const options = { env, maxBuffer: 64 * 1024 * 1024 };
    await run(apt, ["update", "-qq"], options);
    await run(apt, ["install", "-y", "-qq", "--no-install-recommends", debianPackage], options);
  });
  const installed = await lookPath(program);
  if (installed === undefined) throw new Error(`Debian's package ${debianPackage} was installed and has no ${program}`);
  return installed;
}
