/** The files of this repository, by their paths from its root. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");

export function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** @returns the paths of the files in a folder, at any depth, whose names end like this */
export function filesIn(folder: string, ending: string): readonly string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(ending)).map((name) => `${folder}/${name}`);
}
