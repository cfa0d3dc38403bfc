import { z } from "zod";

import type { Caller, ReadOptions } from "../client/caller.ts";
import { list, maybe, nothing } from "../codec/decode.ts";
import { sent } from "../codec/encode.ts";
import { filled, request, wellFormed } from "../codec/request-schema.ts";
import { count, date, flag, optional, record, text, uuid, wellShaped } from "../codec/schema.ts";

/** The variable that this one overrides or is an alias of. */
const other = optional(
  record({ id: text, key: text, mount_path: text, description: text, enable_interpolation_in_file: flag }),
);

/**
 * A variable or a secret, without its value: echoed values are dropped here, so that they reach nothing else. Lists
 * also have inherited ones; only one whose `scope` is APPLICATION is the application's own.
 */
const variable = record({
  id: uuid,
  key: z.string(),
  scope: text,
  variable_type: text,
  created_at: date,
  updated_at: date,
  service_id: text,
  service_name: text,
  owned_by: text,
  description: text,
  enable_interpolation_in_file: flag,
  overridden_variable: other,
  aliased_variable: other,
  overridden_secret: other,
  aliased_secret: other,
});

const imported = record({
  total_variables_to_import: count,
  successful_imported_variables: wellShaped(record({ name: z.string(), is_secret: flag, scope: text })),
});

/** The spec does not show the answer to the creation of one variable; its key identifies it. */
const createdVariable = record({ id: optional(uuid) });

const variableRequest = request({ key: filled, value: wellFormed });

const importedVariable = request({
  name: filled,
  value: wellFormed,
  isSecret: z.boolean(),
  /** Not in the spec; deployed services require it on each variable. Sent only when given. */
  scope: filled.optional(),
});

const importRequest = request({
  /** Whether variables that exist are replaced; deployed services never replace a secret. */
  overwrite: z.boolean(),
  vars: z.array(importedVariable).readonly(),
});

export type Variable = z.output<typeof variable>;
export type CreatedVariable = z.output<typeof createdVariable>;
/** The variables that an import created or replaced: names, never values. */
export type ImportedVariables = z.output<typeof imported>;

export type VariableInput = z.input<typeof variableRequest>;
export type ImportInput = z.input<typeof importRequest>;

export interface Variables {
  /** Creates or replaces many at once; may be repeated. Undefined when the answer has no body. */
  import(applicationId: string, input: ImportInput): Promise<ImportedVariables | undefined>;
  list(applicationId: string, options?: ReadOptions): Promise<readonly Variable[]>;
  /** Undefined when the answer has no body. */
  create(applicationId: string, input: VariableInput): Promise<CreatedVariable | undefined>;
  /** Full surface. */
  update(applicationId: string, variableId: string, input: VariableInput): Promise<Variable | undefined>;
  /** Full surface. */
  delete(applicationId: string, variableId: string): Promise<void>;
  listSecrets(applicationId: string, options?: ReadOptions): Promise<readonly Variable[]>;
  /** Undefined when the answer has no body. */
  createSecret(applicationId: string, input: VariableInput): Promise<CreatedVariable | undefined>;
  /** Full surface. */
  updateSecret(applicationId: string, secretId: string, input: VariableInput): Promise<Variable | undefined>;
  /** Full surface. */
  deleteSecret(applicationId: string, secretId: string): Promise<void>;
}

const variableList = list(variable);

export function variables(caller: Caller): Variables {
  /** The value of any variable may be a secret. */
  const body = (input: VariableInput) => ({ body: sent(variableRequest, input), secrets: [input.value] });
  return {
    import: (applicationId, input) =>
      caller.write(
        "importVariables",
        { applicationId },
        {
          body: sent(importRequest, input),
          secrets: input.vars.filter(({ value, isSecret }) => isSecret || value.length > 3).map(({ value }) => value),
          answer: maybe(imported),
        },
      ),
    list: (applicationId, options) =>
      caller.read("listVariables", { applicationId }, { answer: variableList, ...options }),
    create: (applicationId, input) =>
      caller.write("createVariable", { applicationId }, { ...body(input), answer: maybe(createdVariable) }),
    update: (applicationId, variableId, input) =>
      caller.write("updateVariable", { applicationId, variableId }, { ...body(input), answer: maybe(variable) }),
    delete: (applicationId, variableId) =>
      caller.write("deleteVariable", { applicationId, variableId }, { answer: nothing }),
    listSecrets: (applicationId, options) =>
      caller.read("listSecrets", { applicationId }, { answer: variableList, ...options }),
    createSecret: (applicationId, input) =>
      caller.write("createSecret", { applicationId }, { ...body(input), answer: maybe(createdVariable) }),
    updateSecret: (applicationId, secretId, input) =>
      caller.write("updateSecret", { applicationId, secretId }, { ...body(input), answer: maybe(variable) }),
    deleteSecret: (applicationId, secretId) =>
      caller.write("deleteSecret", { applicationId, secretId }, { answer: nothing }),
  };
}
