/** The files of a new kind, with marks where a person has to write something. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Names } from "./names.ts";

/** Marks a text to fill in: test/unit/new-kind.test.ts fails as long as a file contains it. */
export const FILL_IN = "FILL-IN";

/** The path of the file from each template. */
const PLACES = {
  "index.ts": "src/kinds/{{folder}}/index.ts",
  "area.ts": "src/platform/areas/{{camels}}.ts",
  "sample.ts": "test/samples/{{folder}}.ts",
  "example.yaml": "examples/{{folder}}.yaml",
};

/** @returns the content of each file, by path from the root of the repository */
export async function skeletonOf(names: Names): Promise<ReadonlyMap<string, string>> {
  const files = Object.entries(PLACES).map(async ([template, place]) => {
    const text = await readFile(join(import.meta.dirname, "templates", `${template}.txt`), "utf8");
    return [filled(place, names), filled(text, names)] as const;
  });
  return new Map(await Promise.all(files));
}

function filled(text: string, names: Names): string {
  return Object.entries<string>({ ...names }).reduce(
    (filling, [name, value]) => filling.replaceAll(`{{${name}}}`, value),
    text,
  );
}
