/**
 * A bundle for the Operator Lifecycle Manager (format registry+v1) with what deploy/install.yaml installs, except the
 * ValidatingAdmissionPolicy, which the format cannot hold, and the namespace and ServiceAccount, which OLM creates.
 */
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { stringify } from "yaml";

import { OPERATOR } from "../../src/operator/config/names.ts";
import { clusterServiceVersion } from "./csv.ts";
import { besideCsv } from "./installed.ts";

/** Annotations of the bundle, and labels of its image. The only channel is that of unstable versions (v1alpha1). */
const METADATA = {
  "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
  "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
  "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
  "operators.operatorframework.io.bundle.package.v1": OPERATOR,
  "operators.operatorframework.io.bundle.channels.v1": "candidate",
  "operators.operatorframework.io.bundle.channel.default.v1": "candidate",
};

const CRDS = join(import.meta.dirname, "../../crds");

/** Writes the bundle into a folder, which it empties. @param image of the operator; that of the chart by default */
export async function writeBundle(folder: string, image?: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await cp(CRDS, join(folder, "manifests"), { recursive: true });
  for (const [path, manifest] of bundleManifests(image)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, stringify(manifest, { lineWidth: 120, aliasDuplicateObjects: false }));
  }
  await writeFile(join(folder, "bundle.Dockerfile"), bundleDockerfile());
}

/** Returns the manifests of the bundle without its CRDs, by path below its folder. */
export function bundleManifests(image?: string): ReadonlyMap<string, object> {
  return new Map<string, object>([
    ["metadata/annotations.yaml", { annotations: METADATA }],
    [`manifests/${OPERATOR}.clusterserviceversion.yaml`, clusterServiceVersion(image)],
    ...besideCsv().map(
      (manifest) => [`manifests/${manifest.metadata.name}.${manifest.kind.toLowerCase()}.yaml`, manifest] as const,
    ),
  ]);
}

function bundleDockerfile(): string {
  const labels = Object.entries(METADATA).map(([name, value]) => `LABEL ${name}=${value}`);
  const copies = ["manifests", "metadata"].map((folder) => `COPY ${folder} /${folder}/`);
  return `${["FROM scratch", ...labels, ...copies].join("\n")}\n`;
}
