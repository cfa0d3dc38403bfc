/** Lists the packages in a bundle, as CycloneDX (https://cyclonedx.org/specification/overview). */
import { createHash } from "node:crypto";

import { z } from "zod";

import { packageFolders } from "./third-party.ts";

const FOLDER = "node_modules/";

const Component = z.looseObject({ "bom-ref": z.string(), name: z.string(), version: z.string() });
const Bill = z.looseObject({
  bomFormat: z.literal("CycloneDX"),
  metadata: z.looseObject({ component: z.looseObject({}) }),
  components: z.array(Component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});
export type Bill = z.infer<typeof Bill>;

const Lock = z.object({
  name: z.string(),
  version: z.string(),
  packages: z.record(z.string(), z.object({ name: z.string().optional(), version: z.string() })),
});
const SourceMap = z.object({ sources: z.array(z.string()) });

export interface BundleFacts {
  /** The output of `npm sbom --package-lock-only`: all packages that can be installed, tools included. */
  readonly npmBill: unknown;
  /** package-lock.json */
  readonly lock: unknown;
  /** The bundle's source map. */
  readonly sourceMap: unknown;
  /** The date of the bill, in seconds. */
  readonly epoch: number;
}

/** @returns the folders of the packages whose code is in the bundle, as the lock file names them, sorted. */
export function bundledPackages(sourceMap: unknown): readonly string[] {
  return packageFolders(SourceMap.parse(sourceMap).sources);
}

/**
 * Returns npm's bill, reduced to the packages in the bundle's source map; the same bytes for the same bundle. npm's own
 * bill of production packages is wrong: npm 11 omits packages that a tool needs too, and lists packages that are not
 * shipped.
 * @throws Error when the bundle has a package that the lock file or npm does not know
 */
export function billOfMaterials({ npmBill, lock, sourceMap, epoch }: BundleFacts): Bill {
  const { metadata, components, dependencies, ...bill } = Bill.parse(npmBill);
  const { name, version, packages } = Lock.parse(lock);
  const self = `${name}@${version}`;
  const refs = new Set(
    bundledPackages(sourceMap).map((folder) => {
      const found = packages[folder];
      if (found === undefined) throw new Error(`${folder} is in the bundle and not in package-lock.json`);
      return `${found.name ?? folder.slice(folder.lastIndexOf(FOLDER) + FOLDER.length)}@${found.version}`;
    }),
  );
  const listed = components.filter((component) => refs.has(component["bom-ref"]));
  const unknown = [...refs].filter((ref) => !listed.some((component) => component["bom-ref"] === ref));
  if (unknown.length > 0) throw new Error(`npm's bill of materials does not have ${unknown.join(", ")}`);
  return {
    ...bill,
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([self, epoch, [...refs]]))}`,
    metadata: {
      ...metadata,
      timestamp: new Date(epoch * 1000).toISOString(),
      // npm uses the name of the current folder.
      component: { ...metadata.component, type: "application", name, version },
    },
    components: listed,
    dependencies: dependencies
      .filter(({ ref }) => ref === self || refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) })),
  };
}

/** Returns a UUID of version 8 (RFC 9562), from a hash of the text instead of random bits. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
