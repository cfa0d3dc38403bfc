import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { stringify } from "yaml";

import type { Manifest } from "../../support/env/cluster.ts";
import { newFolder } from "../folder.ts";

/** Creates a repository until the tests of the file end. @throws Error when git is not installed */
export async function createRepository() {
  const dir = await newFolder("argocd-git");
  const who = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgSign=false"];
  const git = async (...args: readonly string[]): Promise<string> => {
    const env = { PATH: process.env["PATH"], HOME: dir };
    return (await promisify(execFile)("git", ["-C", dir, ...who, ...args], { env })).stdout.trim();
  };
  const committed = async (message: string): Promise<string> => {
    await git("add", "--all");
    await git("commit", "--quiet", "--allow-empty", "--message", message);
    return git("rev-parse", "HEAD");
  };
  await git("init", "--quiet", "--initial-branch=main");
  return {
    url: `file://${dir}`,
    /** Replaces the content of a folder by these manifests, one file each, and commits. @returns the commit */
    commit: async (folder: string, manifests: readonly Manifest[]): Promise<string> => {
      await rm(join(dir, folder), { recursive: true, force: true });
      await mkdir(join(dir, folder));
      // Argo CD needs an existing folder, and git has no empty folders.
      await writeFile(join(dir, folder, "README.txt"), "What runs.\n");
      for (const [index, manifest] of manifests.entries()) {
        const name = `${String(index).padStart(2, "0")}-${manifest.kind.toLowerCase()}.yaml`;
        // A string of YAML 1.2 may be a boolean in Go's YAML 1.1, e.g. `on`.
        await writeFile(join(dir, folder, name), stringify(manifest, { version: "1.1" }));
      }
      return committed(`Change ${folder}`);
    },
    /** Adds files by their paths, and commits. @returns the commit */
    add: async (files: ReadonlyMap<string, string>): Promise<string> => {
      for (const [path, content] of files) {
        await mkdir(dirname(join(dir, path)), { recursive: true });
        await writeFile(join(dir, path), content);
      }
      return committed("Add files");
    },
  };
}
