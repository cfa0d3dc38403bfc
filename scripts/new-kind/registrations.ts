/** The lists that a new kind is entered into. */
import type { Names } from "./names.ts";

/** Lines that go into a file. */
export interface Registration {
  readonly file: string;
  readonly lines: string;
  /** A text of the file: the lines go before it. */
  readonly before?: string;
  /** Or the beginning of a block: the lines go to its end. */
  readonly block?: string;
  /** How the block ends; by default with a brace at the beginning of a line. */
  readonly end?: string;
}

/** @returns what is entered where */
export function registrationsOf(names: Names): readonly Registration[] {
  return [...ofOperator(names), ...ofSimulator(names), ...ofScripts(names), ...ofTests(names)];
}

/** An import, which the formatter puts into its place. */
function imported(file: string, name: string, from: string): Registration {
  return { file, lines: `import { ${name} } from "${from}";`, before: "import " };
}

function ofOperator({ kind, type, types, camel, camels, folder }: Names): readonly Registration[] {
  const path = types.toUpperCase();
  const operation = (name: string, method: string, at: string, stale = `, stale: of${type}`): string =>
    `  ${name}: { method: "${method}", path: ${at}, beyond: true${stale} },`;
  const one = `\`\${${path}}/{${camel}Id}\``;
  return [
    imported("src/kinds/index.ts", camel, `./${folder}/index.ts`),
    { file: "src/kinds/index.ts", block: "const allKinds", end: "\n  }", lines: `    ${kind}: ${camel},` },
    {
      file: "src/platform/codec/operations.ts",
      before: "export const operations = {",
      lines: `const of${type} = ["list${types}", "get${type}"] as const;\nconst ${path} = \`\${ORGANIZATION}/${camel}\` as const;\n`,
    },
    {
      file: "src/platform/codec/operations.ts",
      block: "export const operations = {",
      lines: [
        `\n  // ${types}`,
        operation(`list${types}`, "GET", path, ""),
        operation(`create${type}`, "POST", path),
        operation(`get${type}`, "GET", one, ""),
        operation(`update${type}`, "PUT", one),
        operation(`delete${type}`, "DELETE", one),
      ].join("\n"),
    },
    imported("src/platform/index.ts", camels, `./areas/${camels}.ts`),
    {
      file: "src/platform/index.ts",
      block: "function areas(",
      end: "\n  }",
      lines: `    ${camels}: ${camels}(caller),`,
    },
  ];
}

function ofSimulator({ type, types, camel, camels }: Names): readonly Registration[] {
  const path = `/organization/{organizationId}/${camel}`;
  const one = `${path}/{${camel}Id}`;
  return [
    {
      file: "simulator/base/operations.ts",
      block: "const full = {",
      lines: [
        `  list${types}: ["GET", "${path}", "read", 200],`,
        `  create${type}: ["POST", "${path}", "write", 201],`,
        `  get${type}: ["GET", "${one}", "read", 200],`,
        `  update${type}: ["PUT", "${one}", "write", 200],`,
        `  delete${type}: ["DELETE", "${one}", "write", 204],`,
      ].join("\n"),
    },
    {
      file: "simulator/model/world.ts",
      before: "/** All that the platform holds",
      lines: `export interface ${type} extends Dated {\n  readonly id: string;\n  readonly organizationId: string;\n  name: string;\n  description: string | null;\n}\n`,
    },
    {
      file: "simulator/model/world.ts",
      block: "export function emptyWorld",
      end: "\n  }",
      lines: `    ${camels}: new Map<string, ${type}>(),`,
    },
    imported("simulator/routes/index.ts", `${camel}Routes`, `./${camels}.ts`),
    { file: "simulator/routes/index.ts", block: "export const routes", end: "\n]", lines: `  ...${camel}Routes,` },
  ];
}

function ofScripts({ kind, type, types, nouns }: Names): readonly Registration[] {
  return [
    {
      file: "scripts/platforms.ts",
      block: "export const FEATURES",
      end: "\n]",
      lines: [
        `\n  only("${kind}", "create; adopt by name; report drift", ["create${type}", "list${types}", "get${type}"], "nothing is sent", "NotSupportedByApi"),`,
        `  only("${kind}", "change", ["update${type}", "list${types}"], "nothing is sent", "UpdateNotSupported"),`,
        `  only("${kind}", "delete", ["delete${type}"], "there are no ${nouns} to delete", "DeleteNotSupported"),`,
      ].join("\n"),
    },
  ];
}

function ofTests({ kind, type, types, camel, camels, folder }: Names): readonly Registration[] {
  const made = `w.admin.${camels}.create({ name: w.name() })`;
  return [
    imported("test/samples/index.ts", `${camel}Sample`, `./${folder}.ts`),
    { file: "test/samples/index.ts", block: "export const SAMPLES", lines: `  ${kind}: ${camel}Sample,` },
    {
      file: "test/support/platform/operations.ts",
      block: "export const full",
      lines: [
        `  list${types}: { needs: "read", call: (p) => p.${camels}.list() },`,
        `  create${type}: { needs: "write", call: (p, w) => p.${camels}.create({ name: w.name() }) },`,
        `  get${type}: { needs: "read", call: async (p, w) => p.${camels}.get(await idOf(w, ${made})) },`,
        `  update${type}: { needs: "write", call: async (p, w) => p.${camels}.update(await ${made}, { name: w.name() }) },`,
        `  delete${type}: { needs: "write", call: async (p, w) => p.${camels}.delete(await idOf(w, ${made})) },`,
      ].join("\n"),
    },
  ];
}

/** @returns the text with the lines in their place. @throws Error where the file does not have the place any more */
export function registered(text: string, { file, lines, before, block, end = "\n}" }: Registration): string {
  const start = text.indexOf(before ?? block ?? "");
  const stop = before === undefined ? text.indexOf(end, start) + 1 : start;
  if (start < 0 || (before === undefined && stop === 0))
    throw new Error(`${file} has no "${before ?? block ?? ""}" any more: mend scripts/new-kind/registrations.ts.`);
  return `${text.slice(0, stop)}${lines}\n${text.slice(stop)}`;
}
