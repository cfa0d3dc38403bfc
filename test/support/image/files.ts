/** Lists the files of a root file system. */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export type ImageFile = Awaited<ReturnType<typeof fileAt>>;

/** @returns everything below the folder, sorted by its path; links are "other". */
export async function filesOf(root: string): Promise<readonly ImageFile[]> {
  const names = await readdir(root, { recursive: true });
  return Promise.all(names.toSorted().map((name) => fileAt(root, name)));
}

async function fileAt(root: string, name: string) {
  const found = await lstat(join(root, name));
  return {
    /** From the root, with a leading slash. */
    path: `/${name}`,
    kind: found.isFile() ? "file" : found.isDirectory() ? "folder" : "other",
    size: found.size,
    /** Permission bits. */
    mode: found.mode & 0o7777,
    owner: found.uid,
    /** The modification time, in seconds since 1970. */
    changed: Math.floor(found.mtimeMs / 1000),
  };
}
