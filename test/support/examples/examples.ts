/** examples/, every file of it. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

import type { Manifest } from "../env/cluster.ts";
import { manifestsIn } from "../env/manifests.ts";

const FOLDER = join(import.meta.dirname, "../../../examples");

/** @returns the examples by their paths below examples/, with their manifests, except Namespaces */
export function examples() {
  const names = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));
  return names.toSorted().map((name) => {
    const path = join(FOLDER, name);
    return { file: relative(FOLDER, path), manifests: manifestsIn(readFileSync(path, "utf8")) };
  });
}

/** Returns all examples, those of each file in a separate namespace, as they use the same names. */
export function examplesApart(prefix: string): readonly Manifest[] {
  return examples().flatMap(({ manifests }, index) => {
    const namespace = `${prefix}-${index}`;
    return [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
      ...manifests.map((manifest) => placed(manifest, namespace)),
    ];
  });
}

/** @returns the manifest in another namespace, if it is in one. */
function placed(manifest: Manifest, namespace: string): Manifest {
  if (manifest.metadata["namespace"] === undefined) return manifest;
  return { ...manifest, metadata: { ...manifest.metadata, namespace } };
}
