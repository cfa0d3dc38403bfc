/** The packages in a bundle, and their licences, which must be distributed with it. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { z } from "zod";

const Manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });
const LEGAL = /^(un)?licen[cs]e|^notice|^copying/i;
const RULE = "=".repeat(80);

/**
 * @param paths of modules in a bundler's output or its source map
 * @returns the packages' folders, from node_modules on as package-lock.json names them, sorted
 */
export function packageFolders(paths: readonly string[]): readonly string[] {
  const folders = paths.flatMap((path) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  return [...new Set(folders)].toSorted();
}

/**
 * @param folders from `packageFolders`
 * @returns the licences of all packages in one text: the files of that name, else the entry in package.json
 * @throws Error with the name of a package without a licence
 */
export async function licencesOf(root: string, folders: readonly string[]): Promise<string> {
  const parts = await Promise.all(folders.map((folder) => licenceOf(join(root, folder), folder)));
  return ["The bundle has code of these packages. Their licences follow.", ...parts].join(`\n\n${RULE}\n`);
}

async function licenceOf(dir: string, folder: string): Promise<string> {
  const { data, error } = Manifest.safeParse(JSON.parse(await readFile(join(dir, "package.json"), "utf8")));
  if (data === undefined) throw new Error(`${folder}/package.json names no licence: ${error.message}`);
  const files = (await readdir(dir)).filter((name) => LEGAL.test(name)).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(join(dir, name), "utf8")));
  const said = texts.length === 0 ? [`${data.license}; the package has no text of it.`] : texts;
  return [`${data.name} ${data.version} (${data.license})`, ...said.map((text) => text.trim())].join("\n\n");
}
