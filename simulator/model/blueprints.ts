import { Problem, type FieldProblem } from "../base/problems.ts";
import type { Profile } from "../base/settings.ts";
import type { BlueprintManifest, Fields } from "./world.ts";

/** Members that are ignored for helm. */
const ignoredByHelm: ReadonlySet<string> = new Set(["engine_version", "credentials", "backend"]);

/**
 * Checks engine-level overrides against the blueprint's manifest.
 * @returns those that apply.
 * @throws Problem 422 that names each member that is not overridable, and an engine version that is missing or not
 * allowed.
 */
export function checkOverrides(manifest: BlueprintManifest, overrides: Fields): Fields {
  const helm = manifest.engine === "helm";
  const given = Object.entries(overrides).filter(([member]) => !helm || !ignoredByHelm.has(member));
  const fixed = given.filter(([member]) => !manifest.overridable.includes(member));
  const complaints = [
    ...fixed.map(([member]) => complaint(member, `is not overridable in ${manifest.tag}`)),
    ...(helm ? [] : versionComplaints(manifest, overrides["engine_version"])),
  ];
  if (complaints.length > 0) throw new Problem(422, complaints);
  return Object.fromEntries(given);
}

function complaint(member: string, message: string): FieldProblem {
  return { field: `spec_overrides.${member}`, message };
}

function versionComplaints({ engine, engineVersions, tag }: BlueprintManifest, version: unknown): FieldProblem[] {
  if (version === undefined || version === null)
    return [complaint("engine_version", `is required for ${engine} blueprints`)];
  if (typeof version === "string" && engineVersions.includes(version)) return [];
  return [complaint("engine_version", `must be one of ${engineVersions.join(", ")} for ${tag}`)];
}

/** Returns the answer to a creation with a deployment, which the documentation does not show. */
export function deployedAnswer(
  shape: Profile["blueprintDeployed"],
  { blueprint, status }: { readonly blueprint: Fields; readonly status: Fields },
): Fields | undefined {
  switch (shape) {
    case "record":
      return blueprint;
    case "both":
      return { ...blueprint, state: status["state"], deployment_request_id: status["deployment_request_id"] };
    case "status":
      return status;
    case "ids":
      return { deployment_id: status["deployment_request_id"], execution_id: status["execution_id"] };
    case "none":
      return undefined;
    default:
      return shape satisfies never;
  }
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
