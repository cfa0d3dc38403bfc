/** `variables list`, `secrets list`, `variables set` and `secrets set`. Values are written, never shown. */
import type { Variable, VariableInput } from "../../platform/areas/variables.ts";
import { command, type Call, type Command } from "../base/command.ts";
import { CliError, UsageError } from "../base/exit.ts";
import { readText } from "../base/files.ts";
import { LIST_FORMATS } from "../base/globals.ts";
import type { Target } from "../base/open.ts";
import { printList, type View } from "../base/render.ts";
import { offers } from "../base/surface.ts";
import { APPLICATION } from "./shared/arguments.ts";

const KINDS = ["PlatformApplication"] as const;

/** @param type the type in -o name */
function viewOf(type: "variable" | "secret"): View<Variable> {
  return {
    columns: [
      { name: "KEY", of: ({ key }) => key },
      { name: "SCOPE", of: ({ scope }) => scope },
      { name: "UPDATED", of: ({ updatedAt, createdAt }) => updatedAt ?? createdAt },
      { name: "OWNER", of: ({ ownedBy }) => ownedBy, wide: true },
      { name: "SERVICE", of: ({ serviceName, serviceId }) => serviceName ?? serviceId, wide: true },
      { name: "OVERRIDES", of: (entry) => (entry.overriddenSecret ?? entry.overriddenVariable)?.key, wide: true },
      { name: "ALIAS-OF", of: (entry) => (entry.aliasedSecret ?? entry.aliasedVariable)?.key, wide: true },
      { name: "ID", of: ({ id }) => id, wide: true },
      { name: "DESCRIPTION", of: ({ description }) => description, wide: true },
    ],
    name: ({ key }) => `${type}/${key}`,
  };
}

export const variablesList = command({
  asks: "platform",
  formats: LIST_FORMATS,
  args: [APPLICATION],
  run: async (call) => {
    const { platform, id } = await call.target(call.args.application, KINDS);
    await printList(call, viewOf("variable"), byKey(await platform.variables.list(id)));
  },
});

export const secretsList = command({
  asks: "platform",
  formats: LIST_FORMATS,
  args: [APPLICATION],
  details: "-o wide and -o json also show the owner, the service, and which secret one overrides or is an alias of.",
  run: async (call) => {
    const { platform, id } = await call.target(call.args.application, KINDS);
    await printList(call, viewOf("secret"), byKey(await platform.variables.listSecrets(id)));
  },
});

const FILE = {
  is: "text",
  short: "f",
  value: "FILE",
  about: "file that holds the value; standard input when left out",
} as const;
const KEY = { name: "key", about: "name of the variable" } as const;

export const variablesSet = command({
  asks: "platform",
  args: [APPLICATION, KEY, { name: "value", about: "the value, if it is no secret", optional: true }],
  flags: { file: FILE },
  run: async (call) => {
    const { application, key, value } = call.args;
    if (value !== undefined && call.flags.file !== undefined) throw new UsageError("Give <value> or -f, not both.");
    const input = { key, value: value ?? (await valueFrom(call, call.flags.file)) };
    await set(call, await call.target(application, KINDS), input, {
      op: "updateVariable",
      list: ({ platform, id }) => platform.variables.list(id),
      create: ({ platform, id }) => platform.variables.create(id, input),
      update: ({ platform, id }, entry) => platform.variables.update(id, entry, input),
    });
  },
});

export const secretsSet: Command = command({
  asks: "platform",
  args: [APPLICATION, KEY],
  flags: { file: FILE },
  details:
    "The value comes from a file or from standard input and never stands on the command line. One line break at its end is dropped.",
  run: async (call) => {
    const input = { key: call.args.key, value: await valueFrom(call, call.flags.file) };
    await set(call, await call.target(call.args.application, KINDS), input, {
      op: "updateSecret",
      list: ({ platform, id }) => platform.variables.listSecrets(id),
      create: ({ platform, id }) => platform.variables.createSecret(id, input),
      update: ({ platform, id }, entry) => platform.variables.updateSecret(id, entry, input),
    });
  },
});

interface Doors {
  /** The operation that changes one. */
  readonly op: "updateVariable" | "updateSecret";
  readonly list: (target: Target) => Promise<readonly Variable[]>;
  readonly create: (target: Target) => Promise<unknown>;
  readonly update: (target: Target, entryId: string) => Promise<unknown>;
}

/** Changes the application's own entry where the platform can, else creates one. */
async function set(call: Call, target: Target, { key }: VariableInput, doors: Doors): Promise<void> {
  const own = (await doors.list(target)).find((entry) => entry.key === key && isOwn(entry, target.id));
  if (own === undefined) {
    await doors.create(target);
    call.tell(`${key} is set. It takes effect with the next deployment.`);
    return;
  }
  if (!(await offers(target.access, doors.op))) {
    throw new CliError(
      `${key} exists, and this platform changes no single one. Use "${call.program} env import" with --overwrite.`,
    );
  }
  await doors.update(target, own.id);
  call.tell(`${key} is changed. It takes effect with the next deployment.`);
}

/** Lists have inherited entries too. */
function isOwn({ scope, serviceId }: Variable, applicationId: string): boolean {
  return scope === undefined ? serviceId === undefined || serviceId === applicationId : scope === "APPLICATION";
}

async function valueFrom(call: Call, file: string | undefined): Promise<string> {
  return (await readText(call.io, file ?? "-")).replace(/\r?\n$/, "");
}

function byKey(entries: readonly Variable[]): readonly Variable[] {
  return entries.toSorted((left, right) => (left.key < right.key ? -1 : 1));
}
