/** Lists the files of a root file system. */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export interface ImageFile {
  /** From the root, with a leading slash. */
  readonly path: string;
  readonly kind: "file" | "folder" | "other";
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly owner: number;
  /** The modification time, in seconds since 1970. */
  readonly changed: number;
}

/** @returns everything below the folder, sorted by its path; links are "other". */
export async function filesOf(root: string): Promise<readonly ImageFile[]> {
  const names = await readdir(root, { recursive: true });
  return Promise.all(names.toSorted().map((name) => fileAt(root, name)));
}

async function fileAt(root: string, name: string): Promise<ImageFile> {
  const found = await lstat(join(root, name));
  return {
    path: `/${name}`,
    kind: found.isFile() ? "file" : found.isDirectory() ? "folder" : "other",
    size: found.size,
    mode: found.mode & 0o7777,
    owner: found.uid,
    changed: Math.floor(found.mtimeMs / 1000),
  };
}
