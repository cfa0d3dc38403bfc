/** Commands on the variables and secrets of an application. Values are written, never shown. */
import { parseEnv } from "node:util";

import type { Variable, VariableInput } from "../../platform/areas/variables.ts";
import type { Call, Entry } from "../base/command.ts";
import { CliError, EXIT, UsageError } from "../base/exit.ts";
import { LIST_FORMATS } from "../base/globals.ts";
import { readText } from "../base/io.ts";
import { print, type View } from "../base/render.ts";
import { apiCommand, APPLICATION, readCommand } from "./declare.ts";

const KINDS = ["PlatformApplication"] as const;
const KEY = { name: "key", about: "name of the variable or secret" } as const;
const FILE = {
  file: { type: "text", short: "f", value: "FILE", about: "file with the value; defaults to standard input" },
} as const;

/** The two types of entries of an application, which have the same operations. */
type Entries = "variables" | "secrets";

const importView: View<{ readonly name: string; readonly secret: boolean; readonly imported: boolean }> = {
  columns: { KEY: "name", SECRET: "secret", IMPORTED: "imported" },
  name: ({ name, secret }) => `${secret ? "secret" : "variable"}/${name}`,
};

export const VARIABLES_AND_SECRETS: readonly Entry[] = [
  listCommand("variables", "listVariables"),
  listCommand("secrets", "listSecrets"),
  apiCommand({
    name: "variables set",
    about: "set one variable of an application",
    operations: ["listVariables", "createVariable", "updateVariable"],
    args: [APPLICATION, KEY, { name: "value", about: "the value, if it is not a secret", optional: true }],
    flags: FILE,
    run: async (call) => {
      const { key, value } = call.args;
      if (value !== undefined && call.flags.file !== undefined) throw new UsageError("Give <value> or -f, not both.");
      const input = { key, value: value ?? (await valueFrom(call, call.flags.file)) };
      await set(call, "variables", input);
    },
  }),
  apiCommand({
    name: "secrets set",
    about: "set one secret of an application",
    operations: ["listSecrets", "createSecret", "updateSecret"],
    args: [APPLICATION, KEY],
    flags: FILE,
    details:
      "The value comes from a file or from standard input, never from the command line. One trailing line break is removed.",
    run: async (call) => {
      const input = { key: call.args.key, value: await valueFrom(call, call.flags.file) };
      await set(call, "secrets", input);
    },
  }),
  apiCommand({
    name: "env import",
    about: "import variables and secrets of an application from a file",
    operations: ["importVariables"],
    formats: LIST_FORMATS,
    args: [APPLICATION],
    flags: {
      file: {
        type: "text",
        short: "f",
        value: "FILE",
        fallback: ".env",
        about: "file of KEY=value lines; - for standard input",
      },
      secret: { type: "list", value: "KEY", about: "import this key as a secret" },
      overwrite: { type: "switch", about: "replace existing variables, and secrets if the platform supports it" },
      scope: {
        type: "text",
        value: "SCOPE",
        about: "scope of the variables; defaults to APPLICATION on a full surface, otherwise not sent",
      },
    },
    details: "Values are never shown. Ends with 1 when not all were imported.",
    run: async (call) => {
      const { file, overwrite, secret } = call.flags;
      const entries = Object.entries(parseEnv(await readText(call.io, file)));
      if (entries.length === 0) throw new CliError(`${file} has no lines of the form KEY=value.`);
      const unknown = secret.filter((key) => !entries.some(([name]) => name === key));
      if (unknown.length > 0)
        throw new UsageError(`--secret names ${unknown.join(", ")}, which ${file} does not have.`);

      const { platform, id, access } = await call.target(call.args.application, KINDS);
      const { surfaceOf } = await import("../base/surface.ts");
      const scope = call.flags.scope ?? ((await surfaceOf(access)) === "Full" ? "APPLICATION" : undefined);
      const vars = entries.map(([name, value = ""]) => ({
        name,
        value,
        isSecret: secret.includes(name),
        ...(scope === undefined ? {} : { scope }),
      }));
      const answer = await platform.variables.import(id, { overwrite, vars });
      if (answer === undefined) {
        call.report("The platform accepted the request.");
        return EXIT.ok;
      }
      const done = new Set(answer.successfulImportedVariables.map(({ name }) => name));
      const lines = vars.map(({ name, isSecret }) => ({ name, secret: isSecret, imported: done.has(name) }));
      await print(call, importView, lines);
      const total = answer.totalVariablesToImport ?? vars.length;
      call.report(`Imported ${done.size} of ${total}. They take effect with the next deployment.`);
      return done.size < total ? EXIT.failed : EXIT.ok;
    },
  }),
];

function listCommand(entries: Entries, operation: "listVariables" | "listSecrets"): Entry {
  return readCommand({
    name: `${entries} list`,
    about: `list the ${entries} of an application, without values`,
    operations: [operation],
    args: [APPLICATION],
    details:
      "-o wide and -o json also show the owner, the service, and the variable that each one overrides or is an alias of.",
    read: async (call) => {
      const { platform, id } = await call.target(call.args.application, KINDS);
      const all = (await platform[entries].list(id)).map(({ value: _value, key = "", ...rest }) => ({ key, ...rest }));
      return all.toSorted((left, right) => (left.key < right.key ? -1 : 1));
    },
    view: {
      columns: { KEY: "key", SCOPE: "scope", UPDATED: ({ updatedAt, createdAt }) => updatedAt ?? createdAt },
      wide: {
        OWNER: "ownedBy",
        SERVICE: ({ serviceName, serviceId }) => serviceName ?? serviceId,
        OVERRIDES: (entry) => (entry.overriddenSecret ?? entry.overriddenVariable)?.key,
        "ALIAS-OF": (entry) => (entry.aliasedSecret ?? entry.aliasedVariable)?.key,
        ID: "id",
        DESCRIPTION: "description",
      },
      name: ({ key }) => `${entries === "secrets" ? "secret" : "variable"}/${key}`,
    },
  });
}

type OfApplication = Call<{ readonly application: string }>;

/**
 * Updates the application's own entry, or creates it if there is none.
 * @throws CliError if the entry exists and the platform cannot update a single one
 */
async function set(call: OfApplication, entries: Entries, input: VariableInput): Promise<void> {
  const { key } = input;
  const { platform, id, access } = await call.target(call.args.application, KINDS);
  const own = (await platform[entries].list(id)).find((entry) => entry.key === key && isOwn(entry, id));
  if (own === undefined) {
    await platform[entries].create(id, input);
    call.report(`${key} is set. It takes effect with the next deployment.`);
    return;
  }
  const { offers } = await import("../base/surface.ts");
  if (!(await offers(access, entries === "secrets" ? "updateSecret" : "updateVariable"))) {
    throw new CliError(
      `${key} exists, and this platform cannot change a single one. Use "${call.program} env import" with --overwrite.`,
    );
  }
  await platform[entries].update(id, own.id ?? "", input);
  call.report(`${key} is changed. It takes effect with the next deployment.`);
}

/** Reports whether an entry is the application's own: lists contain inherited entries too. */
function isOwn({ scope, serviceId }: Variable, applicationId: string): boolean {
  return scope === undefined ? serviceId === undefined || serviceId === applicationId : scope === "APPLICATION";
}

async function valueFrom(call: Call, file: string | undefined): Promise<string> {
  return (await readText(call.io, file ?? "-")).replace(/\r?\n$/, "");
}
