/** The facts about its origin that an image has in its labels. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { z } from "zod";

export interface ImageFacts {
  readonly version: string;
  /** The commit, with "-dirty" when files differ from it; "unknown" outside a repository. */
  readonly revision: string;
  /** Seconds: SOURCE_DATE_EPOCH, else the commit's date, so that the same sources give the same image. */
  readonly epoch: number;
}

const Package = z.object({ version: z.string() });
const Epoch = z.coerce.number().int().nonnegative();

/**
 * @param root of the repository
 * @param epoch the variable SOURCE_DATE_EPOCH (reproducible-builds.org), if it is set
 * @throws Error when that is no whole number
 */
export async function imageFacts(root: string, epoch: string | undefined): Promise<ImageFacts> {
  const { version } = Package.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
  const commit = await git(root, "log", "-1", "--format=%H %ct");
  const [hash = "unknown", date = "0"] = commit?.split(" ") ?? [];
  const dirty = commit !== undefined && (await git(root, "status", "--porcelain")) !== "";
  return { version, revision: dirty ? `${hash}-dirty` : hash, epoch: Epoch.parse(epoch || date) };
}

async function git(root: string, ...args: readonly string[]): Promise<string | undefined> {
  const run = promisify(execFile)("git", args, { cwd: root });
  return run.then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}
