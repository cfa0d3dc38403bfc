/**
 * `npm run generate`: writes everything in generated.ts, and deploy/install.yaml; with --check only says what is
 * stale. Only deploy/install.yaml needs helm, and only when the chart has changed.
 */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";

import { findGoTool } from "../test/tools/go-tools.ts";
import { digestOf, headLine, installManifest, TEMPLATE_ARGS } from "./chart/manifest.ts";
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

const INSTALL = "deploy/install.yaml";

/** Whether it was rendered from another chart than the one that lies there now. */
async function installIsStale(): Promise<boolean> {
  const text = await read(INSTALL);
  return text?.startsWith(`${headLine(digestOf(join(root, "helm-chart")))}\n`) !== true;
}

async function writeInstall(): Promise<void> {
  const { stdout } = await promisify(execFile)(await findGoTool("helm"), TEMPLATE_ARGS, {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  await writeFile(join(root, INSTALL), installManifest(stdout, digestOf(join(root, "helm-chart"))));
}

const stale = await stalePaths();
if (!process.argv.includes("--check")) {
  await Promise.all(stale.map(write));
  for (const path of stale) console.log(`wrote ${path}`);
  if (await installIsStale()) {
    await writeInstall();
    console.log(`wrote ${INSTALL}`);
  }
} else {
  const all = [...stale, ...((await installIsStale()) ? [INSTALL] : [])];
  if (all.length > 0) {
    console.error(`Stale: ${all.join(", ")}. Run npm run generate.`);
    process.exitCode = 1;
  }
}
