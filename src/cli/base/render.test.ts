import { describe, expect, it } from "vitest";

import { printable } from "../../text/text.ts";
import type { Format } from "./globals.ts";
import { print, printText, type View } from "./render.ts";

interface Row {
  readonly name: string;
  readonly size?: bigint;
  readonly hidden?: string;
}

const view: View<Row> = {
  columns: { NAME: "name" },
  wide: { SIZE: ({ size }) => size },
  name: ({ name }) => `thing/${name}`,
  data: ({ name, size }) => ({ name, size }),
};

function terminal(output: Format, isTTY?: boolean) {
  let stdout = "";
  const told: string[] = [];
  const stream = { isTTY, write: (text: string) => (stdout += text) };
  const io = { stdout: stream, stderr: stream, stdin: { async *[Symbol.asyncIterator]() {} } };
  return { call: { io, output, report: (line: string) => void told.push(line) }, text: () => stdout, told };
}

const rows: readonly Row[] = [{ name: "a", size: 9_223_372_036_854_775_807n, hidden: "secret" }, { name: "longer" }];

describe("what is printed", () => {
  it.each([
    ["table", "NAME\na\nlonger\n"],
    ["wide", "NAME     SIZE\na        9223372036854775807\nlonger   <none>\n"],
    ["name", "thing/a\nthing/longer\n"],
    ["yaml", "- name: a\n  size: 9223372036854775807\n- name: longer\n"],
    ["json", '[\n  {\n    "name": "a",\n    "size": 9223372036854775807\n  },\n  {\n    "name": "longer"\n  }\n]\n'],
  ] as const)("is %s", async (format, expected) => {
    const { call, text } = terminal(format);
    await print(call, view, rows);
    expect(text()).toBe(expected);
  });

  it("is an object for a single row", async () => {
    const { call, text } = terminal("json");
    await print(call, view, { name: "a" });
    expect(JSON.parse(text())).toEqual({ name: "a" });
  });

  it.each([
    ["table", "", ["Nothing found."]],
    ["json", "[]\n", []],
    ["yaml", "[]\n", []],
    ["name", "", []],
  ] as const)("is data alone when there is nothing: %s", async (format, expected, said) => {
    const { call, text, told } = terminal(format);
    await print(call, view, []);
    expect({ text: text(), told }).toEqual({ text: expected, told: said });
  });

  it.each([
    ["colors and cursor moves", "\u001B[31mred\u001B[2J", "[31mred [2J"],
    ["line breaks", "one\r\ntwo", "one two"],
    ["direction marks", "a\u202Eb", "a b"],
  ])("cannot change a terminal by %s", async (_, hostile, shown) => {
    const { call, text } = terminal("table");
    await print(call, view, { name: hostile });
    expect(text()).toBe(`NAME\n${shown}\n`);
    expect(printable(hostile)).toBe(shown);
  });
});

const title = "a\u001B]0;title\u0007\r\n\tb\u009B2J";
it.each([
  [true, "a\n\tb\n"],
  [undefined, `${title}\n`],
])("a text of the platform on a terminal (%s) is printed without control characters", (isTTY, expected) => {
  const { call, text } = terminal("table", isTTY);
  printText(call, title);
  expect(text()).toBe(expected);
  printText(call, "");
  expect(text()).toBe(expected);
});
