import { z } from "zod";

import { cloudVendors, clusterModes, type TemplateVersion } from "../model/catalog.ts";
import type { BlueprintManifest } from "../model/world.ts";
import type { World } from "../model/world.ts";

const int64 = z.union([z.int(), z.bigint()]);
const Constraints = z.strictObject({
  allowedValues: z.array(z.string()).optional(),
  min: int64.optional(),
  max: int64.optional(),
  minLength: z.int().optional(),
  maxLength: z.int().optional(),
  pattern: z.string().optional(),
});
const Mode = z.enum(clusterModes);
const Vendor = z.enum(cloudVendors);
const description = z.string().nullable().default(null);

const Field = z.strictObject({
  key: z.string(),
  type: z.enum(["string", "number", "bool"]),
  required: z.boolean().default(false),
  defaultValue: z.string().nullable().default(null),
  label: z.string().default(""),
  description,
  sensitive: z.boolean().default(false),
  constraints: Constraints.default({}),
  narrowings: z
    .array(z.strictObject({ mode: Mode.optional(), provider: Vendor.optional(), constraints: Constraints }))
    .default([]),
});

const Layer = z.strictObject({
  key: z.string(),
  mandatory: z.boolean().default(false),
  enabledByDefault: z.boolean().default(false),
  modes: z.array(Mode).default([...clusterModes]),
  providers: z.array(Vendor).nullable().default(null),
  description,
  components: z.array(
    z.strictObject({ key: z.string(), kind: z.enum(["HELM", "TERRAFORM"]), description, fields: z.array(Field) }),
  ),
});

/** A template version for the catalog; absent members get simple defaults. */
export const TemplateInput = z.strictObject({
  key: z.string(),
  version: z.string(),
  status: z.enum(["DRAFT", "PUBLISHED", "DEPRECATED"]).default("PUBLISHED"),
  description,
  organizations: z.array(z.guid()).nullable().default(null),
  layers: z.array(Layer),
});

export const ManifestInput = z.strictObject({
  tag: z.string(),
  engine: z.enum(["terraform", "opentofu", "helm"]),
  overridable: z.array(z.string()).default([]),
  engineVersions: z.array(z.string()).default([]),
});

/** Adds a template version, or replaces the version of the same key and version number. @throws z.ZodError */
export function putTemplate(world: World, input: unknown): TemplateVersion {
  const template: TemplateVersion = TemplateInput.parse(input);
  const others = world.templates.filter((each) => each.key !== template.key || each.version !== template.version);
  world.templates = [...others, template];
  return template;
}

/** Adds a blueprint's manifest, or replaces the manifest of the same tag. @throws z.ZodError */
export function putManifest(world: World, input: unknown): BlueprintManifest {
  const manifest: BlueprintManifest = ManifestInput.parse(input);
  world.manifests.set(manifest.tag, manifest);
  return manifest;
}
