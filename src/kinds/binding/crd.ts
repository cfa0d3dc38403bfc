import { z } from "zod";

import {
  clusterContext,
  connectionRef,
  exactlyOne,
  jsonLength,
  mapOf,
  reference,
  valueFrom,
  valueOrSource,
} from "../../api/fields.ts";
import { lifecycleOf } from "../../api/lifecycle.ts";
import { column, columnsOf, defineResource, DRIFTED, wide } from "../../api/resource.ts";
import { ATOMIC, atomicList, digestField, id, managedStatus, text, time } from "../../api/status.ts";
import { altered } from "../shared/altered.ts";

const SELECTIONS_LENGTH = 8192;
const SAFE_INTEGER = "must be quoted: an integer beyond 2^53 would be rounded";

/** A value in the type of the template's field. Long integers are texts, so that nothing rounds them. */
const fieldValue = z
  .union([
    z.string().max(32768),
    z.number().refine((value) => !Number.isInteger(value) || Number.isSafeInteger(value), SAFE_INTEGER),
    z.boolean(),
  ])
  .meta({
    description:
      "The value: a string, number or boolean, according to the template's field; a string is accepted for each of them. Quote integers beyond 2^53.",
    // The API server cannot express "string, number or boolean". The operator refuses other values.
    "x-kubernetes-preserve-unknown-fields": true,
  });

/** Counted properties express "exactly one": rules cannot see a member without a type. */
const configValue = z
  .object({ value: fieldValue.optional(), valueFrom: valueFrom.optional() })
  .refine(
    ({ value, valueFrom: from }) => (value === undefined) !== (from === undefined),
    "exactly one of value and valueFrom must be set",
  )
  .meta({
    description: "The value of one field: exactly one of value and valueFrom. Sensitive fields only from a Secret.",
    minProperties: 1,
    maxProperties: 1,
  });

const inputValue = exactlyOne(
  ["value", "valueFrom"],
  valueOrSource,
  "The value of one input: exactly one of value and valueFrom.",
);

const spec = z.object({
  connectionRef: connectionRef.optional(),
  clusterRef: reference(
    "PlatformCluster",
    "Cluster that the template is bound to. Cannot be changed once it is bound.",
  ),
  cluster: clusterContext
    .optional()
    .describe(
      "Mode and provider of the cluster, both or none, which restrict what the template allows. When absent, they are " +
        "taken from the platform's list of clusters; where it does not show them, there is no restriction.",
    ),
  template: z
    .object({
      key: z.string().min(1).max(255).describe("Key of the template."),
      version: z.string().min(1).max(255).describe("Version of the template."),
    })
    .describe("The platform template, one of the connection's organization; see PlatformCatalog."),
  layerSelections: mapOf(z.unknown(), 64)
    .refine(
      (given) => jsonLength(given) <= SELECTIONS_LENGTH,
      `must be at most ${SELECTIONS_LENGTH} characters of JSON`,
    )
    .default({})
    .meta({
      description:
        "Layers to select or deselect, by key, e.g. observability: false. Other values than true and false are sent as they are: the specification does not show their form. For other layers the template's default applies.",
      "x-kubernetes-preserve-unknown-fields": true,
    }),
  managedConfig: mapOf(mapOf(configValue, 128).describe("Fields of one component, by key."), 64)
    .default({})
    .describe("Configuration of the template's components: by component key, then by field key."),
  customerProvidedInputs: mapOf(mapOf(inputValue, 128).describe("Inputs of one component, by key."), 64)
    .default({})
    .describe("Inputs that the components need at run time: by component key, then by input key."),
  lifecycle: lifecycleOf(["managementPolicy", "driftPolicy", "applyPolicy", "progressDeadline"]),
});

export type BindingSpec = z.output<typeof spec>;

/** The answer to the PUT. The documented surface shows it only once. */
const record = {
  clusterId: id.optional().describe("Id of the cluster that the template is bound to."),
  templateKey: text.describe("Key of the template that is bound."),
  templateVersion: text.describe("Version of the template that is bound."),
  layers: z
    .array(
      z
        .object({
          key: text.describe("Key of the layer."),
          status: text.describe("Status of the layer, verbatim, e.g. ENABLED."),
          reason: text.optional().describe("Reason, in the platform's words."),
          componentKeys: atomicList(text.describe("Key of a component."), 256, "Components of the layer."),
        })
        .describe("One layer."),
    )
    .max(64)
    .describe("Layers of the template on this cluster.")
    .meta(ATOMIC),
};

const recorded = {
  written: digestField("the binding as last written"),
  writtenAt: time.describe("When the operator last wrote a change."),
  repeatedAt: time.describe("When it last repeated that write, to see the layers in the answer."),
  altered,
};

export type BindingMemory = z.output<typeof platformBinding.memory>;
export type BindingLayer = NonNullable<BindingMemory["layers"]>[number];

export const platformBinding = defineResource({
  kind: "PlatformBinding",
  lifecycle: "LastingFields",
  shortNames: ["pbind"],
  description: "A platform template bound to a cluster, with its layers, configuration and inputs.",
  spec,
  memory: record,
  recorded,
  status: managedStatus(
    {
      ...record,
      layersEnabled: text.optional().describe("Number of enabled layers of those selected, e.g. 3/4."),
    },
    recorded,
  ),
  rules: [
    {
      rule:
        "!has(oldSelf.status) || (!has(oldSelf.status.externalId) && !has(oldSelf.status.templateKey)) || " +
        "self.spec.clusterRef == oldSelf.spec.clusterRef",
      message: "spec.clusterRef cannot be changed once the template is bound",
      fieldPath: ".spec.clusterRef",
    },
  ],
  columns: columnsOf([
    column("Template", ".status.templateKey", "Key of the template that is bound."),
    column("Version", ".status.templateVersion", "Version of the template that is bound."),
    column("Layers", ".status.layersEnabled", "Enabled of selected layers."),
    wide("Cluster", ".status.clusterId", "Id of the cluster."),
    DRIFTED,
  ]),
  selectableFields: [
    ".spec.connectionRef.name",
    ".spec.clusterRef.name",
    ".spec.clusterRef.externalId",
    ".spec.template.key",
  ],
});
