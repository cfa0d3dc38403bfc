/** examples/, every file of it. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

import { parseAllDocuments } from "yaml";
import { z } from "zod";

import type { Manifest } from "../env/cluster.ts";

const FOLDER = join(import.meta.dirname, "../../../examples");

const Document = z
  .object({
    kind: z.string(),
    metadata: z.object({ name: z.string(), namespace: z.string().optional() }).catchall(z.json()),
  })
  .catchall(z.json());

export interface Example {
  /** Its path below examples/. */
  readonly file: string;
  readonly manifests: readonly Manifest[];
}

/** @returns the examples with their manifests, except Namespaces */
export function examples(): readonly Example[] {
  const names = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));
  return names.toSorted().map((name) => {
    const path = join(FOLDER, name);
    const documents = parseAllDocuments(readFileSync(path, "utf8")).map((each) => Document.parse(each.toJS()));
    return { file: relative(FOLDER, path), manifests: documents.filter(({ kind }) => kind !== "Namespace") };
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
