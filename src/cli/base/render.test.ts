import { describe, expect, it } from "vitest";

import { fakeIo } from "../../../test/support/programs/cli.ts";
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

function terminal(output: Format, shown = false) {
  const { io, stdout } = fakeIo({ shown });
  const told: string[] = [];
  return { call: { io, output, report: (line: string) => void told.push(line) }, text: stdout, told };
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

  it("cannot change a terminal", async () => {
    const { call, text } = terminal("table");
    await print(call, view, { name: "\u001B[31mred\r\n\u001B[2J\u202Eb" });
    expect(text()).toBe("NAME\n[31mred [2J b\n");
  });
});

const title = "a\u001B]0;title\u0007\r\n\tb\u009B2J";
it.each([
  [true, "a\n\tb\n"],
  [false, `${title}\n`],
])("a text of the platform on a terminal (%s) is printed without control characters", (isTTY, expected) => {
  const { call, text } = terminal("table", isTTY);
  printText(call, title);
  expect(text()).toBe(expected);
  printText(call, "");
  expect(text()).toBe(expected);
});
