/**
 * `make new-kind NAME=PlatformRegistry`: writes the skeleton of a kind whose objects have a name, settings and no state
 * (docs/architecture.md §3), and enters it into every list of kinds. A test fails until it is filled in.
 */
import { execFile } from "node:child_process";
import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { namesOf } from "./new-kind/names.ts";
import { registered, registrationsOf } from "./new-kind/registrations.ts";
import { FILL_IN, skeletonOf } from "./new-kind/skeleton.ts";

const root = dirname(import.meta.dirname);
const names = namesOf(process.argv[2] ?? "");
const skeleton = await skeletonOf(names);
for (const path of skeleton.keys()) {
  const isThere = await access(join(root, path)).then(
    () => true,
    () => false,
  );
  if (isThere) throw new Error(`${path} is there already.`);
}

// Changes all lists in memory before it writes: if a list has changed its form, nothing of the kind is written.
const texts = new Map(skeleton);
for (const registration of registrationsOf(names)) {
  const { file } = registration;
  texts.set(file, registered(texts.get(file) ?? (await readFile(join(root, file), "utf8")), registration));
}
for (const [path, text] of texts) {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}
await promisify(execFile)(join(root, "node_modules/.bin/oxfmt"), [...texts.keys()], { cwd: root });

console.log(`Wrote ${[...skeleton.keys()].join(", ")}.
Entered ${names.kind} into ${[...texts.keys()].filter((path) => !skeleton.has(path)).join(", ")}.
What is left to do:
  1. Replace every ${FILL_IN} in the new files; test/unit/new-kind.test.ts fails until then.
  2. Compare the operations with the platform: paths in src/platform/codec/operations.ts and simulator/base/plain.ts.
     Enter the other members there: "secret" for one that is neither shown nor kept in the journal.
  3. Write test/kinds/${names.folder}.test.ts of what is special, and name it in SHOWN_BY of scripts/coverage.ts.
  4. make generate check`);
