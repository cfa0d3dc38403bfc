import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Manifest } from "../env/cluster.ts";
import { manifestsIn } from "../env/manifests.ts";

const FOLDER = join(import.meta.dirname, "../../../examples");

export function examples() {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));
  return files.toSorted().map((file) => ({ file, manifests: manifestsIn(readFileSync(join(FOLDER, file), "utf8")) }));
}

/** Returns all examples, those of each file in a separate namespace, as they use the same names. */
export function examplesApart(prefix: string): readonly Manifest[] {
  return examples().flatMap(({ manifests }, index) => {
    const namespace = `${prefix}-${index}`;
    const placed = manifests.map((manifest) =>
      // A cluster-scoped one has no namespace.
      manifest.metadata["namespace"] === undefined
        ? manifest
        : { ...manifest, metadata: { ...manifest.metadata, namespace } },
    );
    return [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, ...placed];
  });
}
