/**
 * `docs/coverage.md`: which operation of the platform is used by which kind or command, and which test proves it. Read
 * off the sources: a kind uses what the files that it imports call, a command what its entry says.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize, relative } from "node:path";

import { operations as simulated } from "../simulator/base/operations.ts";
import { COMMANDS } from "../src/cli/index.ts";
import { RESOURCES } from "../src/kinds/crds.ts";
import { operations, type OperationName } from "../src/platform/codec/operations.ts";

const root = dirname(import.meta.dirname);
const read = (path: string): string => readFileSync(join(root, path), "utf8");

function sources(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`)
    .toSorted();
}

/** The operations that the spec shows in its usage guide only, where placeholders are spelled in another way. */
const USAGE_GUIDE: ReadonlySet<OperationName> = new Set([
  ...(["listProjects", "createProject", "createEnvironment", "createApplication", "getApplicationStatus"] as const),
  ...(["createVariable", "listVariables", "createSecret", "getApplicationLog", "createDatabase"] as const),
  ...(["deployDatabase", "createWebhook"] as const),
]);

const SPELLED: readonly (readonly [ours: string, theirs: string])[] = [
  ["{organizationId}", "{org_id}"],
  ["{projectId}", "{project_id}"],
  ["{environmentId}", "{env_id}"],
  ["{applicationId}", "{app_id}"],
  ["{databaseId}", "{db_id}"],
];

/** Method and path as the spec spells them. */
function spelled(name: OperationName): string {
  const { method, path } = operations[name];
  if (!USAGE_GUIDE.has(name)) return `${method} ${path}`;
  const theirs = SPELLED.reduce((text: string, [ours, guide]) => text.replace(ours, guide), path);
  return `${method} ${theirs}`;
}

/** "area.method" of the platform's client → the operations that it calls. */
function clientMethods(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const path of sources("src/platform").filter((name) => !name.endsWith(".test.ts"))) {
    let method = "";
    for (const line of read(path).split("\n")) {
      method = /^ {4}(\w+)[:(]/.exec(line)?.[1] ?? method;
      const called = /caller\.\w+\(\s*"(\w+)"/.exec(line)?.[1] ?? /^\s+"(\w+)",$/.exec(line)?.[1];
      if (called === undefined || !Object.hasOwn(operations, called)) continue;
      const name = `${basename(path, ".ts")}.${method}`;
      found.set(name, [...(found.get(name) ?? []), called]);
    }
  }
  return found;
}

/** A file and all the code that it imports of the same folder, transitively. */
function reach(path: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const [, specifier = ""] of read(path).matchAll(/^(?:import|export) (?!type )[^;]*? from "(\.[^"]+)"/gm)) {
    const next = normalize(join(dirname(path), specifier));
    if (next.startsWith("src/kinds/")) reach(next, seen);
  }
  return seen;
}

/** Operation → the kinds whose code calls it. */
function usedByKinds(): ReadonlyMap<string, readonly string[]> {
  const methods = clientMethods();
  const users = new Map<string, string[]>();
  for (const [, path = ""] of read("src/kinds/index.ts").matchAll(/from "\.\/([^"]+)"/g)) {
    const entry = `src/kinds/${path}`;
    const kinds = RESOURCES.map(({ kind }) => kind).filter((kind) => mentions(read(entry), camel(kind)));
    const calls = [...reach(entry)].flatMap((file) => [...read(file).matchAll(/\bapi\.(\w+\.\w+)\b/g)]);
    for (const operation of new Set(calls.flatMap(([, call = ""]) => methods.get(call) ?? []))) {
      users.set(operation, [...(users.get(operation) ?? []), ...kinds]);
    }
  }
  return users;
}

const camel = (kind: string): string => kind.charAt(0).toLowerCase() + kind.slice(1);
const mentions = (text: string, word: string): boolean => new RegExp(`\\b${word}\\b`).test(text);

/** Calls every operation of the client, by name, against the simulator on both surfaces. */
const EVERY_OPERATION = "platform-operations.test.ts";

/** Applies a resource of every kind on both surfaces and looks which operations of the specification that calls. */
const EVERY_KIND = "every-operation.test.ts";

/** What tests call an operation: by our name, or by the simulated platform's, as they stand in its journal. */
function namesOf(name: OperationName): readonly string[] {
  const { method, path } = operations[name];
  return [name, ...simulated.filter((one) => one.method === method && one.path === path).map(({ id }) => id)];
}

/** Whether a test runs the operator on the real control plane; those come first. */
const isStaged = (text: string): boolean => text.includes("createStage(");

/** Whether a test calls a command of the plugin; kubectl and RBAC have lists that begin with the same words. */
function calls(text: string, command: string): boolean {
  const words = command.split(" ").map((word) => `"${word}"`);
  return new RegExp(String.raw`(?<!kubectl\(|verbs: )\[\s*${words.join(String.raw`,\s*`)}`).test(text);
}

/** The tests that name an operation and those that call a command that it belongs to, else those of every operation. */
function provenBy(name: OperationName, isForKinds: boolean, commands: readonly string[]): readonly string[] {
  const tests = sources("test/integration")
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => ({ file: relative("test/integration", path), text: read(path) }))
    .filter(({ file }) => file !== EVERY_OPERATION && file !== EVERY_KIND)
    .toSorted((left, right) => Number(isStaged(right.text)) - Number(isStaged(left.text)));
  const named = tests.filter(({ text }) => namesOf(name).some((one) => text.includes(`"${one}"`)));
  const called = tests.filter(
    ({ file, text }) => /^(cli|story)/.test(file) && commands.some((one) => calls(text, one)),
  );
  const found = [...new Set([...named.slice(0, 2), ...called.slice(0, 1), ...named, ...called])].map(
    ({ file }) => file,
  );
  const isShown = isForKinds && named.length === 0 && operations[name].surface === "Documented";
  const shown = [...(isShown ? [EVERY_KIND] : []), ...found].slice(0, SHOWN);
  return shown.length > 0 ? shown : [EVERY_OPERATION];
}

const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name);

const SHOWN = 3;

/** @returns the page. @throws Error for a documented operation that nobody can use */
export function coveragePage(): string {
  const kinds = usedByKinds();
  const rows = Object.keys(operations)
    .filter(isOperation)
    .map((name) => {
      const commands = COMMANDS.filter((entry) => entry.operations.includes(name)).map((entry) => entry.name);
      const users = kinds.get(name) ?? [];
      return { name, kinds: users, commands, tests: provenBy(name, users.length > 0, commands) };
    });
  const documented = rows.filter(({ name }) => operations[name].surface === "Documented");
  const unused = documented.filter((row) => row.kinds.length + row.commands.length === 0).map(({ name }) => name);
  if (unused.length > 0) throw new Error(`No kind and no command uses ${unused.join(", ")}.`);
  return `<!-- Generated by npm run generate. -->

# Coverage

Which operation of the platform is used by which kind or command, and which test shows it. The surface is the smallest that has the operation; [what works on which platform](guides/platforms.md) says what its absence means. [platform-operations.test.ts](../test/integration/${EVERY_OPERATION}) calls every one of them against the simulated platform; the tests named here drive the operator or the plugin.

## The specification: ${String(documented.length)} operations

${table(documented)}

## Beyond the specification

What the operator uses where the platform offers the full surface.

${table(rows.filter(({ name, ...row }) => operations[name].surface === "Full" && row.kinds.length + row.commands.length > 0))}
`;
}

interface Row {
  readonly name: OperationName;
  readonly kinds: readonly string[];
  readonly commands: readonly string[];
  readonly tests: readonly string[];
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ name, kinds, commands, tests }) => {
    const users = kinds.map((kind) => `[${kind}](reference/${kind}.md)`);
    const words = commands.map((command) => `\`${command}\``);
    const shown = tests.map((file) => `[${file}](../test/integration/${file})`);
    return `| \`${spelled(name)}\` | ${operations[name].surface} | ${users.join(", ")} | ${words.join(", ")} | ${shown.join(", ")} |`;
  });
  return ["| operation | surface | kinds | commands | tests |", "|---|---|---|---|---|", ...lines].join("\n");
}
