import { z } from "zod";

import type { Caller, ReadOptions } from "../client/caller.ts";
import { read } from "../client/endpoints.ts";
import { json, jsonOrEmpty, wellShapedList } from "../codec/decode.ts";
import { nonBlank, jsonObject, keyed, encodeWith, wellFormed } from "../codec/encode.ts";
import { items, optional, record, texts, wellShaped } from "../codec/schema.ts";

/** Bounds are int64: a bigint keeps every digit. */
const int64 = optional.of(z.union([z.bigint(), z.int().transform(BigInt)]));
/** Larger bounds are clamped to 2^53 - 1 instead of rounded: no text is that long. */
const length = optional.of(
  z.union([z.bigint().transform((n) => (n > 0n ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER)), z.int()]),
);

const constraints = record({
  allowedValues: optional.strings,
  min: int64,
  max: int64,
  minLength: length,
  maxLength: length,
  pattern: optional.text,
});

const field = record({
  key: z.string(),
  /** string, number or bool; the platform may add types */
  type: z.string(),
  required: z.boolean(),
  /** A string for every type. */
  defaultValue: optional.text,
  label: optional.text,
  description: optional.text,
  sensitive: z.boolean(),
  constraints: optional.of(constraints).transform((given) => given ?? {}),
});

const component = record({ key: z.string(), kind: optional.text, description: optional.text, fields: items(field) });

const layer = record({
  key: z.string(),
  mandatory: z.boolean(),
  enabledByDefault: z.boolean(),
  modes: texts,
  /** If absent, every provider is allowed. */
  providers: optional.strings,
  componentKeys: texts,
  components: items(component),
  description: optional.text,
});

const layers = wellShaped(layer);

const template = record({
  key: z.string(),
  version: z.string(),
  status: z.string(),
  description: optional.text,
  layers: z.array(z.unknown()).transform((list) => {
    const known = layers.safeParse(list).data ?? [];
    return { known, isIncomplete: known.length < list.length };
  }),
}).transform(({ layers: { known, isIncomplete }, ...rest }) => ({
  ...rest,
  layers: known,
  /** True when a layer could not be parsed: it may have a key that no other layer has. */
  ...(isIncomplete && { isIncomplete }),
}));

const binding = record({
  clusterId: optional.text,
  organizationId: optional.text,
  templateKey: optional.text,
  templateVersion: optional.text,
  layerSelections: optional.map,
  managedConfig: optional.maps,
  customerProvidedInputs: optional.maps,
  layers: optional.of(
    wellShaped(record({ key: z.string(), status: z.string(), reason: optional.text, componentKeys: optional.strings })),
  ),
});

const clusterContext = z
  .object({ clusterMode: nonBlank.optional(), cloudProvider: nonBlank.optional() })
  .readonly()
  // The platform answers 400 when only one of the two is given (spec).
  .refine(
    ({ clusterMode, cloudProvider }) => (clusterMode === undefined) === (cloudProvider === undefined),
    "clusterMode and cloudProvider go together",
  );

/** A bigint is sent as a number with all its digits. */
const configValue = z.union(
  [wellFormed, z.number(), z.bigint(), z.boolean()],
  "neither a text nor a finite number nor a boolean",
);

const bindingRequest = z
  .object({
    templateKey: nonBlank,
    templateVersion: nonBlank,
    /** By layer key. The spec does not show the values; deployed services have booleans. */
    layerSelections: jsonObject.optional(),
    /** By component key, then field key. */
    managedConfig: keyed(keyed(configValue)).optional(),
    /** By component key, then input key. */
    customerProvidedInputs: keyed(keyed(wellFormed)).optional(),
  })
  .readonly();

export type Template = z.output<typeof template>;
export type TemplateLayer = z.output<typeof layer>;
export type TemplateComponent = z.output<typeof component>;
export type TemplateField = z.output<typeof field>;
export type FieldConstraints = z.output<typeof constraints>;
/** The values of `managedConfig` and `customerProvidedInputs` may be secrets: compare them, never show them. */
export type Binding = z.output<typeof binding>;

export type TemplateContext = z.input<typeof clusterContext>;
export type ConfigValue = z.input<typeof configValue>;

export type BindingInput = z.input<typeof bindingRequest> & {
  /** Values from Secrets, which must not appear in error texts. */
  readonly secrets?: readonly string[] | undefined;
};

const templateList = wellShapedList(template);

/** @returns the operations on platform templates and bindings; each function throws ApiError */
export function templates(caller: Caller) {
  return {
    /** The published templates; with a context, constraints are narrowed to what that cluster allows. */
    list: (context: TemplateContext = {}, options?: ReadOptions) =>
      caller.read("listTemplates", [], {
        query: encodeWith(clusterContext, context),
        answer: templateList,
        ...options,
      }),
    /** Selects a template for a cluster; may be repeated. */
    bind: (clusterId: string, input: BindingInput) =>
      caller.write("putBinding", [clusterId], {
        body: encodeWith(bindingRequest, input),
        secrets: input.secrets ?? [],
        answer: jsonOrEmpty(binding),
      }),
    binding: read(caller, "getBinding", json(binding)),
  };
}
