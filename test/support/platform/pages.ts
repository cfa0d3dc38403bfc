/** What docs/coverage.md and docs/guides/platforms.md say about operations of the platform. */
import { operations, type OperationName } from "../../../src/platform/codec/operations.ts";
import { textOf } from "../examples/pages.ts";

/** An operation without the names of its placeholders, which the specification spells in two ways. */
const shapeOf = (call: string): string => call.replaceAll(/\{\w+\}/g, "{}");

const BY_SHAPE = new Map(
  (Object.keys(operations) as OperationName[]).map((name) => {
    const { method, path } = operations[name];
    return [shapeOf(`${method} ${path}`), name] as const;
  }),
);

/** @returns the rows of the tables of a page, by cells, without the heads of the tables */
export function rowsOf(page: string): readonly (readonly string[])[] {
  const rows = textOf(page).matchAll(/^\| (?=[`[])(.*) \|$/gm);
  return [...rows].map(([, row = ""]) => row.split("|").map((cell) => cell.trim()));
}

/** @returns docs/coverage.md by operation: the client's name of it, undefined if it has none, and its kinds */
export function coverage() {
  return rowsOf("docs/coverage.md").map(([call = "", kinds = ""]) => ({
    call: call.replaceAll("`", ""),
    name: BY_SHAPE.get(shapeOf(call.replaceAll("`", ""))),
    kinds: [...kinds.matchAll(/\[(\w+)\]/g)].map(([, kind = ""]) => kind),
  }));
}
