import { describe, expect, it } from "vitest";

import { fakeIo } from "../../../test/support/programs/cli.ts";
import { alignBroken, type Format, nothingIn, print, printText, type View } from "./render.ts";

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

function terminal(output: Format, shown = false) {
  const { io, stdout } = fakeIo({ shown });
  const reported: string[] = [];
  return { call: { io, output, report: (line: string) => void reported.push(line) }, text: stdout, reported };
}

const rows: readonly Row[] = [{ name: "a", size: 9_223_372_036_854_775_807n, hidden: "secret" }, { name: "longer" }];

describe("the rows that a command prints", () => {
  it.each([
    ["table", "NAME\na\nlonger\n"],
    ["wide", "NAME     SIZE\na        9223372036854775807\nlonger   <none>\n"],
    ["name", "thing/a\nthing/longer\n"],
    ["yaml", "- name: a\n  size: 9223372036854775807\n- name: longer\n"],
    ["json", '[\n  {\n    "name": "a",\n    "size": 9223372036854775807\n  },\n  {\n    "name": "longer"\n  }\n]\n'],
  ] as const)("have the format %s", async (format, expected) => {
    const { call, text } = terminal(format);
    await print(call, view, rows);
    expect(text()).toBe(expected);
  });

  it("are an object in JSON where a command prints a single row", async () => {
    const { call, text } = terminal("json");
    await print(call, view, { name: "a" });
    expect(JSON.parse(text())).toEqual({ name: "a" });
  });

  it.each([
    ["table", "", ["No resources found in shop namespace."]],
    ["json", "[]\n", []],
    ["yaml", "[]\n", []],
    ["name", "", []],
  ] as const)("contain no message when there are none, as %s", async (format, expected, messages) => {
    const { call, text, reported } = terminal(format);
    await print(call, view, [], nothingIn("shop"));
    expect(text()).toBe(expected);
    expect(reported).toEqual(messages);
  });

  it("contain no control characters that change a terminal", async () => {
    const { call, text } = terminal("table");
    await print(call, view, { name: "\u001B[31mred\r\n\u001B[2J\u202Eb" });
    expect(text()).toBe("NAME\n[31mred [2J b\n");
  });
});

it("a line that is wider than 120 columns is broken at a space, below the beginning of its last cell", () => {
  const message = "word ".repeat(30).trim();
  expect(alignBroken([["papp/api", "BuildFailed", message]])).toEqual([
    `papp/api  BuildFailed  ${"word ".repeat(19).trim()}`,
    `${" ".repeat(23)}${"word ".repeat(11).trim()}`,
  ]);
  const long = "a-long-name-".repeat(8);
  expect(alignBroken([[long, message]])[1]).toMatch(/^ {4}word/);
});

const title = "a\u001B]0;title\u0007\r\n\tb\u009B2J";
it.each([
  ["loses its control characters on a terminal", true, "a\n\tb\n"],
  ["keeps its bytes in a pipe", false, `${title}\n`],
])("a text of the platform %s", (_, isTTY, expected) => {
  const { call, text } = terminal("table", isTTY);
  printText(call, title);
  expect(text()).toBe(expected);
  printText(call, "");
  expect(text()).toBe(expected);
});
