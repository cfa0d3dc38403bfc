import { Problem } from "./problems.ts";
import type { BlueprintManifest, Fields } from "./world.ts";

/** Members that mean nothing to helm. */
const ignoredByHelm: ReadonlySet<string> = new Set(["engine_version", "credentials", "backend"]);

/**
 * Checks engine-level overrides against the blueprint's manifest.
 * @returns those that apply.
 * @throws Problem 422 for a member that is not overridable, and for an engine version that is missing or not allowed.
 */
export function checkOverrides(manifest: BlueprintManifest, overrides: Fields): Fields {
  const helm = manifest.engine === "helm";
  const given = Object.entries(overrides).filter(([member]) => !helm || !ignoredByHelm.has(member));
  for (const [member] of given) {
    if (!manifest.overridable.includes(member))
      throw new Problem(422, `${member} is not overridable in ${manifest.tag}`);
  }
  if (!helm) checkEngineVersion(manifest, overrides["engine_version"]);
  return Object.fromEntries(given);
}

function checkEngineVersion({ engine, engineVersions, tag }: BlueprintManifest, version: unknown): void {
  if (version === undefined || version === null)
    throw new Problem(422, `engine_version is required for ${engine} blueprints`);
  if (typeof version === "string" && engineVersions.includes(version)) return;
  throw new Problem(422, `engine_version must be one of ${engineVersions.join(", ")} for ${tag}`);
}

/** @returns the blueprints that a simulator starts with. */
export function initialManifests(): BlueprintManifest[] {
  const resources = ["timeout", "cpu", "ram", "storage"];
  return [
    {
      tag: "postgres/1.0.0",
      engine: "terraform",
      overridable: ["engine_version", "credentials", "backend", "timeout"],
      engineVersions: ["1.9.8", "1.10.5"],
    },
    {
      tag: "bucket/2.1.0",
      engine: "opentofu",
      overridable: ["engine_version", "credentials", ...resources],
      engineVersions: ["1.8.3"],
    },
    { tag: "redis/3.0.0", engine: "helm", overridable: resources, engineVersions: [] },
  ];
}
