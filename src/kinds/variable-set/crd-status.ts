import { z } from "zod";

import { ATOMIC, count, fingerprint, id, memoryOf, livingStatus, text } from "../../api/status.ts";

/** The largest number of names in a list of a status. */
export const MAX_NAMES = 256;
/** The largest number of entries of these names: one in each of four scopes. */
export const MAX_NAMESAKES = 4 * MAX_NAMES;
/** The targets of the spec, and as many that were removed from it but still hold something of the set. */
const MAX_TARGETS = 64;

const key = z.string().max(255);
const names = (description: string) =>
  z.array(key.describe("Name of a variable.")).max(MAX_NAMES).optional().describe(description).meta(ATOMIC);

const variable = z
  .object({
    key: key.describe("Name of the variable."),
    id: id.optional().describe("Id of the entry on the platform, once it was read back."),
    created: z
      .literal(true)
      .optional()
      .describe("Present where the operator created the entry: only such are removed."),
    digest: text.optional().describe("Stands for the value that was imported; absent while it is not in place."),
    sent: text.optional().describe("Stands for the value of an import whose result was not read back yet."),
    failed: z.literal(true).optional().describe("Present where it was sent and the platform did not take it over."),
    updatedAt: text.optional().describe("When the platform says that the entry was last changed by the operator."),
  })
  .describe("A variable of the set.");

const secretKey = z
  .object({
    key: key.describe("Name of the secret."),
    id: id.describe("Id of the secret on the platform."),
    updatedAt: text.optional().describe("When it was last changed, as the platform says."),
  })
  .describe("A secret of the set, without its value.");

const target = z
  .object({
    applicationId: id.describe("Id of the application on the platform."),
    name: text.optional().describe("Name of its PlatformApplication."),
    total: count.optional().describe("How many variables the set has for it."),
    imported: count.optional().describe("How many of them are in place."),
    failed: names("Those that the platform did not take over."),
    secretKeys: z.array(secretKey).max(MAX_NAMES).optional().describe("Those that are secrets.").meta(ATOMIC),
    unprunableKeys: names(
      "Variables that are not in the set any more and cannot be removed, as the platform's surface has no deletion.",
    ),
    variables: z
      .array(variable)
      .max(2 * MAX_NAMES)
      .optional()
      .describe("What the operator knows of each variable.")
      .meta(ATOMIC),
    before: z
      .array(id.describe("Id of a variable."))
      .max(MAX_NAMESAKES)
      .optional()
      .describe("Entries of these names that were there before an import whose result was not read back yet.")
      .meta(ATOMIC),
    sentAt: text.optional().describe("The platform's time of the last import."),
    writtenAt: text
      .optional()
      .describe("The platform's time of the last write; an application that is deployed automatically is, after it."),
    written: fingerprint.optional().describe("Stands for all variables as they were last sent."),
    attempts: count.optional().describe("How often they were sent like that."),
  })
  .describe("An application, and what the set has in it.");

export const memory = memoryOf({ targets: z.array(target).max(MAX_TARGETS) });

export type VariableSetMemory = z.output<typeof memory>;
export type KnownTarget = z.output<typeof target>;
export type KnownVariable = z.output<typeof variable>;

export const status = livingStatus({
  targets: z
    .array(target)
    .max(MAX_TARGETS)
    .optional()
    .describe("The applications, and those that were taken out of the spec but still hold variables of the set.")
    .meta(ATOMIC),
  targetsSynced: text.optional().describe("How many applications have all variables, e.g. 2/3."),
  skippedKeys: z
    .array(text.describe("Source and key."))
    .max(MAX_NAMES)
    .optional()
    .describe("Keys of whole Secrets and ConfigMaps that cannot be names of variables.")
    .meta(ATOMIC),
});
