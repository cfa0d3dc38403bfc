/** buildah with its own store: it needs no engine, no daemon and no registry. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Ended } from "../../support/programs/cli.ts";
import { runToEnd } from "../../support/programs/programs.ts";
import { findDebianProgram } from "../../tools/debian.ts";

export type Buildah = Awaited<ReturnType<typeof openBuildah>>;

interface BuildahOptions {
  /** Mounts of this machine in every build: "/here:/there". */
  readonly volumes?: readonly string[];
  /** "host:port" of a registry without TLS. */
  readonly registry?: string;
}

/**
 * @param dir an empty folder for the store
 * @throws Error when this process does not run as root, as isolation by chroot needs mounts
 */
export async function openBuildah(dir: string, options: BuildahOptions = {}) {
  if (process.getuid?.() !== 0) throw new Error("building without an engine needs mounts: run it as root");
  const program = await findDebianProgram("buildah");
  const env = await configure(dir, options);
  const attempt = (...args: readonly string[]): Promise<Ended> => runAsChild(program, args, env);
  return {
    /** Variables with which every buildah uses this store, and no engine that needs a daemon is found. */
    env,
    /** Same as `run`, with any exit code. */
    attempt,
    /** @returns the output. @throws Error with the end of the output when it fails */
    run: async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await attempt(...args);
      if (code === 0) return stdout;
      throw new Error(`buildah ${args[0]} failed: ${(stdout + stderr).trim().split("\n").slice(-15).join("\n")}`);
    },
    close: () => attempt("umount", "--all"),
  };
}

/** Writes the files of containers-storage.conf(5), containers.conf(5) and containers-registries.conf(5). */
async function configure(dir: string, { volumes = [], registry }: BuildahOptions) {
  const files = {
    "storage.conf": `[storage]\ndriver = "vfs"\ngraphroot = "${dir}/store"\nrunroot = "${dir}/run"\n`,
    "containers.conf": `[containers]\nvolumes = ${JSON.stringify(volumes)}\n`,
    "registries.conf": registry === undefined ? "" : `[[registry]]\nlocation = "${registry}"\ninsecure = true\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  const bin = join(dir, "bin");
  await mkdir(bin);
  for (const other of ["docker", "podman"]) await writeFile(join(bin, other), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  return {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    BUILDAH_ISOLATION: "chroot",
    CONTAINERS_STORAGE_CONF: join(dir, "storage.conf"),
    CONTAINERS_CONF: join(dir, "containers.conf"),
    CONTAINERS_REGISTRIES_CONF: join(dir, "registries.conf"),
  };
}

/** Runs a program that ends with this process. @returns its result, also after a failure */
export async function runAsChild(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const argv = ["--pdeathsig", "KILL", program, ...args];
  return runToEnd("/usr/bin/setpriv", argv, { env: { ...process.env, ...env } });
}
