import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { read, write } from "../client/endpoints.ts";
import { list, jsonOrEmpty, ignoredBody } from "../codec/decode.ts";
import { nonBlank, request, encodeWith, wellFormed } from "../codec/encode.ts";
import { optional, pathId, record, wellShaped } from "../codec/schema.ts";

/** The variable that this one overrides or is an alias of. */
const other = optional.of(
  record({
    id: optional.text,
    key: optional.text,
    mount_path: optional.text,
    description: optional.text,
    enable_interpolation_in_file: optional.flag,
  }),
);

/**
 * A variable or a secret. The specification does not show the members of a list, so each may be absent. Lists also
 * contain inherited variables; only those with the `scope` APPLICATION are the application's own.
 */
const entry = {
  id: optional.of(pathId),
  key: optional.text,
  scope: optional.text,
  variable_type: optional.text,
  created_at: optional.date,
  updated_at: optional.date,
  service_id: optional.text,
  service_name: optional.text,
  owned_by: optional.text,
  description: optional.text,
  enable_interpolation_in_file: optional.flag,
  overridden_variable: other,
  aliased_variable: other,
  overridden_secret: other,
  aliased_secret: other,
};

/** A secret. A value in an answer is dropped here, so that no other code sees it. */
const secret = record(entry);
const variable = record({ ...entry, value: optional.text });

const imported = record({
  total_variables_to_import: optional.number,
  successful_imported_variables: wellShaped(
    record({ name: z.string(), is_secret: optional.flag, scope: optional.text }),
  ),
});

/** The spec does not show the answer to the creation of one variable; its key identifies it. */
const createdVariable = record({ id: optional.of(pathId) });

const variableRequest = request({ key: nonBlank, value: wellFormed });

const importedVariable = request({
  name: nonBlank,
  value: wellFormed,
  isSecret: z.boolean(),
  /** Not in the spec; deployed services require it on each variable. Sent only when given. */
  scope: nonBlank.optional(),
});

const importRequest = request({
  /** Whether variables that exist are replaced; deployed services never replace a secret. */
  overwrite: z.boolean(),
  vars: z.array(importedVariable).readonly(),
});

export type Variable = z.output<typeof variable>;

export type VariableInput = z.input<typeof variableRequest>;
export type ImportInput = z.input<typeof importRequest>;

/** The operations on variables, or the same ones on secrets. */
function entries(caller: Caller, type: "Variable" | "Secret") {
  const item: z.ZodType<Variable> = type === "Variable" ? variable : secret;
  /** The value of any variable may be a secret. */
  const body = (input: VariableInput) => ({ body: encodeWith(variableRequest, input), secrets: [input.value] });
  return {
    list: read(caller, `list${type}s`, list(item)),
    create: (applicationId: string, input: VariableInput) =>
      caller.write(`create${type}`, [applicationId], { ...body(input), answer: jsonOrEmpty(createdVariable) }),
    update: (applicationId: string, id: string, input: VariableInput) =>
      caller.write(`update${type}`, [applicationId, id], { ...body(input), answer: jsonOrEmpty(item) }),
    delete: write(caller, `delete${type}`, ignoredBody),
  };
}

/** @returns the operations on the plain variables of an application, and the import of both kinds */
export function variables(caller: Caller) {
  return {
    ...entries(caller, "Variable"),
    /** Creates or replaces many at once, secrets too; may be repeated. */
    import: (applicationId: string, input: ImportInput) =>
      caller.write("importVariables", [applicationId], {
        body: encodeWith(importRequest, input),
        secrets: input.vars.filter(({ value, isSecret }) => isSecret || value.length > 3).map(({ value }) => value),
        answer: jsonOrEmpty(imported),
      }),
  };
}

/** @returns the operations on the secrets of an application */
export function secrets(caller: Caller) {
  return entries(caller, "Secret");
}
