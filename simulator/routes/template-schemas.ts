import { z } from "zod";

import { cloudVendors, clusterModes } from "../model/catalog.ts";
import { Id } from "../request/schemas.ts";

/** JSON has one kind of number; the schema of integers would end at 2^53. */
const Int64 = z.number().describe("int64");

const Field = z.object({
  key: z.string(),
  type: z.enum(["string", "number", "bool"]),
  required: z.boolean(),
  defaultValue: z.string().nullish(),
  label: z.string(),
  description: z.string().nullish(),
  sensitive: z.boolean(),
  constraints: z.object({
    allowedValues: z.array(z.string()).nullish(),
    min: Int64.nullish(),
    max: Int64.nullish(),
    minLength: Int64.nullish(),
    maxLength: Int64.nullish(),
    pattern: z.string().nullish(),
  }),
});

const Layer = z.object({
  key: z.string(),
  mandatory: z.boolean(),
  enabledByDefault: z.boolean(),
  modes: z.array(z.enum(clusterModes)),
  providers: z.array(z.enum(cloudVendors)).nullish(),
  componentKeys: z.array(z.string()),
  components: z.array(
    z.object({
      key: z.string(),
      kind: z.enum(["HELM", "TERRAFORM"]),
      description: z.string().nullish(),
      fields: z.array(Field),
    }),
  ),
  description: z.string().nullish(),
});

/** PlatformTemplateSummaryResponse of the documentation. */
export const Template = z.object({
  key: z.string(),
  version: z.string(),
  status: z.enum(["DRAFT", "PUBLISHED", "DEPRECATED"]),
  description: z.string().nullish(),
  layers: z.array(Layer),
});

/** The cluster platform binding of the documentation. */
export const Binding = z.object({
  clusterId: Id,
  organizationId: Id,
  templateKey: z.string(),
  templateVersion: z.string(),
  layerSelections: z.record(z.string(), z.boolean()),
  managedConfig: z.record(z.string(), z.record(z.string(), z.unknown())),
  customerProvidedInputs: z.record(z.string(), z.record(z.string(), z.string())),
  layers: z.array(
    z.object({
      key: z.string(),
      status: z.enum(["ENABLED", "DISABLED", "SKIPPED"]),
      reason: z.string(),
      componentKeys: z.array(z.string()),
    }),
  ),
});
