/** `variables list`, `secrets list`, `variables set` and `secrets set`. Values are written, never shown. */
import type { Variable, VariableInput } from "../../platform/areas/variables.ts";
import type { Platform } from "../../platform/index.ts";
import type { Call } from "../base/command.ts";
import { CliError, UsageError } from "../base/exit.ts";
import { readText } from "../base/io.ts";
import type { View } from "../base/render.ts";
import { apiCommand, APPLICATION, listCommand } from "./declare.ts";

const KINDS = ["PlatformApplication"] as const;
const KEY = { name: "key", about: "name of the variable" } as const;
const FILE = {
  file: { is: "text", short: "f", value: "FILE", about: "file that holds the value; standard input when left out" },
} as const;

/** The operations on variables, and the same ones on secrets. */
interface Operations {
  readonly updateOperation: "updateVariable" | "updateSecret";
  readonly list: (platform: Platform, applicationId: string) => Promise<readonly Variable[]>;
  readonly create: (platform: Platform, applicationId: string, input: VariableInput) => Promise<unknown>;
  readonly update: (platform: Platform, applicationId: string, id: string, input: VariableInput) => Promise<unknown>;
}

const VARIABLES: Operations = {
  updateOperation: "updateVariable",
  list: ({ variables }, applicationId) => variables.list(applicationId),
  create: ({ variables }, applicationId, input) => variables.create(applicationId, input),
  update: ({ variables }, applicationId, id, input) => variables.update(applicationId, id, input),
};

const SECRETS: Operations = {
  updateOperation: "updateSecret",
  list: ({ variables }, applicationId) => variables.listSecrets(applicationId),
  create: ({ variables }, applicationId, input) => variables.createSecret(applicationId, input),
  update: ({ variables }, applicationId, id, input) => variables.updateSecret(applicationId, id, input),
};

export const variablesList = listCommand({
  name: "variables list",
  about: "list the variables of an application, without values",
  operations: ["listVariables"],
  args: [APPLICATION],
  view: viewOf("variable"),
  read: (call) => list(call, call.args.application, VARIABLES),
});

export const secretsList = listCommand({
  name: "secrets list",
  about: "list the secrets of an application, without values",
  operations: ["listSecrets"],
  args: [APPLICATION],
  details: "-o wide and -o json also show the owner, the service, and which secret one overrides or is an alias of.",
  view: viewOf("secret"),
  read: (call) => list(call, call.args.application, SECRETS),
});

export const variablesSet = apiCommand({
  name: "variables set",
  about: "set one variable of an application",
  operations: ["listVariables", "createVariable", "updateVariable"],
  args: [APPLICATION, KEY, { name: "value", about: "the value, if it is no secret", optional: true }],
  flags: FILE,
  run: async (call) => {
    const { application, key, value } = call.args;
    if (value !== undefined && call.flags.file !== undefined) throw new UsageError("Give <value> or -f, not both.");
    const input = { key, value: value ?? (await valueFrom(call, call.flags.file)) };
    await set(call, application, input, VARIABLES);
  },
});

export const secretsSet = apiCommand({
  name: "secrets set",
  about: "set one secret of an application",
  operations: ["listSecrets", "createSecret", "updateSecret"],
  args: [APPLICATION, KEY],
  flags: FILE,
  details:
    "The value comes from a file or from standard input and never stands on the command line. One line break at its end is dropped.",
  run: async (call) => {
    const input = { key: call.args.key, value: await valueFrom(call, call.flags.file) };
    await set(call, call.args.application, input, SECRETS);
  },
});

/** @param type the type in -o name */
function viewOf(type: "variable" | "secret"): View<Variable> {
  return {
    columns: { KEY: "key", SCOPE: "scope", UPDATED: ({ updatedAt, createdAt }) => updatedAt ?? createdAt },
    wide: {
      OWNER: "ownedBy",
      SERVICE: ({ serviceName, serviceId }) => serviceName ?? serviceId,
      OVERRIDES: (entry) => (entry.overriddenSecret ?? entry.overriddenVariable)?.key,
      "ALIAS-OF": (entry) => (entry.aliasedSecret ?? entry.aliasedVariable)?.key,
      ID: "id",
      DESCRIPTION: "description",
    },
    name: ({ key }) => `${type}/${key}`,
  };
}

async function list(call: Call, application: string, operations: Operations): Promise<readonly Variable[]> {
  const { platform, id } = await call.target(application, KINDS);
  return (await operations.list(platform, id)).toSorted((left, right) => (left.key < right.key ? -1 : 1));
}

/** Changes the application's own entry where the platform can, else creates one. */
async function set(call: Call, application: string, input: VariableInput, operations: Operations): Promise<void> {
  const { key } = input;
  const { platform, id, access } = await call.target(application, KINDS);
  const own = (await operations.list(platform, id)).find((entry) => entry.key === key && isOwn(entry, id));
  if (own === undefined) {
    await operations.create(platform, id, input);
    call.tell(`${key} is set. It takes effect with the next deployment.`);
    return;
  }
  const { offers } = await import("../base/surface.ts");
  if (!(await offers(access, operations.updateOperation))) {
    throw new CliError(
      `${key} exists, and this platform changes no single one. Use "${call.program} env import" with --overwrite.`,
    );
  }
  await operations.update(platform, id, own.id, input);
  call.tell(`${key} is changed. It takes effect with the next deployment.`);
}

/** Lists have inherited entries too. */
function isOwn({ scope, serviceId }: Variable, applicationId: string): boolean {
  return scope === undefined ? serviceId === undefined || serviceId === applicationId : scope === "APPLICATION";
}

async function valueFrom(call: Call, file: string | undefined): Promise<string> {
  return (await readText(call.io, file ?? "-")).replace(/\r?\n$/, "");
}
