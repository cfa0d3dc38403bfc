import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { manifestsIn } from "../env/manifests.ts";

const FOLDER = join(import.meta.dirname, "../../../examples");

export function examples() {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));
  return files.toSorted().map((file) => ({ file, manifests: manifestsIn(readFileSync(join(FOLDER, file), "utf8")) }));
}
