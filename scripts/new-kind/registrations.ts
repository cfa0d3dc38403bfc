/** The lists that a new kind is added to. */
import type { Names } from "./names.ts";

/** Lines that go into a file. */
export interface Registration {
  readonly file: string;
  readonly lines: string;
  /** A text of the file before which the lines are inserted. */
  readonly before?: string;
  /** Or the beginning of a block at whose end the lines are inserted. */
  readonly block?: string;
  /** The end of the block; by default a brace at the beginning of a line. */
  readonly end?: string;
}

/** @returns the lines for the kind, its operations, the records of the simulated platform, and its sample */
export function registrationsOf({ kind, type, types, camel, folder, noun }: Names): readonly Registration[] {
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
    {
      file: "simulator/base/plain.ts",
      block: "export const plain",
      lines: `  ${camel}: { one: "${type}", several: "${types}", noun: "${noun}", path: "${camel}", members: { description: "text" } },`,
    },
    imported("test/samples/index.ts", `${camel}Sample`, `./${folder}.ts`),
    { file: "test/samples/index.ts", block: "export const SAMPLES", lines: `  ${kind}: ${camel}Sample,` },
  ];
}

/** An import; the formatter sorts it. */
function imported(file: string, name: string, from: string): Registration {
  return { file, lines: `import { ${name} } from "${from}";`, before: "import " };
}

/** @returns the text with the lines inserted. @throws Error when the file no longer has the place */
export function registered(text: string, { file, lines, before, block, end = "\n}" }: Registration): string {
  const start = text.indexOf(before ?? block ?? "");
  const stop = before === undefined ? text.indexOf(end, start) + 1 : start;
  if (start < 0 || (before === undefined && stop === 0))
    throw new Error(`${file} has no "${before ?? block ?? ""}" any more: update scripts/new-kind/registrations.ts.`);
  return `${text.slice(0, stop)}${lines}\n${text.slice(stop)}`;
}
