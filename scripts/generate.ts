/** `npm run generate`: writes crds/, deploy/rbac/, docs/reference/ and docs/coverage.md; with --check only says what is stale. */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { GENERATED_FOLDERS, generatedFiles } from "./generated.ts";

const root = dirname(import.meta.dirname);
const files = generatedFiles();

/** Paths whose content differs from what would be generated now, those that should be gone included. */
async function stalePaths(): Promise<readonly string[]> {
  const changed = await Promise.all(
    [...files].map(async ([path, content]) => ((await read(path)) === content ? [] : [path])),
  );
  return [...changed.flat(), ...(await strayPaths())];
}

async function strayPaths(): Promise<readonly string[]> {
  const found = await Promise.all(
    GENERATED_FOLDERS.map(async (folder) => {
      const names = await readdir(join(root, folder)).catch(() => []);
      return names.map((name) => `${folder}/${name}`);
    }),
  );
  return found.flat().filter((path) => !files.has(path));
}

async function read(path: string): Promise<string | undefined> {
  return readFile(join(root, path), "utf8").catch(() => undefined);
}

async function write(path: string): Promise<void> {
  const content = files.get(path);
  if (content === undefined) return rm(join(root, path), { recursive: true });
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

const stale = await stalePaths();
if (!process.argv.includes("--check")) {
  await Promise.all(stale.map(write));
  for (const path of stale) console.log(`wrote ${path}`);
} else if (stale.length > 0) {
  console.error(`Stale: ${stale.join(", ")}. Run npm run generate.`);
  process.exitCode = 1;
}
