/**
 * `npm run generate`: writes all files of generated.ts; with --check it only lists stale files. deploy/install.yaml
 * needs helm, which takes minutes to build: `make e2e` writes it, and this program reports when that is necessary.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

import { installIsStale } from "./chart/manifest.ts";
import { GENERATED_FOLDERS, generatedFiles } from "./generated.ts";

const root = dirname(import.meta.dirname);
const files = generatedFiles();

/** Returns the paths of stale files, including those that should not exist. */
async function stalePaths(): Promise<readonly string[]> {
  const changed = await Promise.all(
    [...files].map(async ([path, content]) => ((await read(path)) === content ? [] : [path])),
  );
  return [...changed.flat(), ...(await strayPaths())];
}

async function strayPaths(): Promise<readonly string[]> {
  const found = await Promise.all(
    GENERATED_FOLDERS.map(async (folder) => {
      const all = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []);
      return all.filter((one) => one.isFile()).map((file) => relative(root, join(file.parentPath, file.name)));
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

const isCheck = process.argv.includes("--check");
const stale = await stalePaths();
if (isCheck && stale.length > 0) {
  console.error(`Stale: ${stale.join(", ")}. Run npm run generate.`);
  process.exitCode = 1;
}
if (!isCheck) {
  await Promise.all(stale.map(write));
  for (const path of stale) console.log(`wrote ${path}`);
}
if (await installIsStale()) {
  console.error(
    "Stale: deploy/install.yaml, which the chart is rendered to. Run npm run e2e:prepare, which builds helm.",
  );
  process.exitCode = 1;
}
