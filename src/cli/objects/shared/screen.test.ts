import { describe, expect, it } from "vitest";

import { createScreen } from "./screen.ts";

/** A terminal that understands the cursor movements of a screen: up, to the left, and erasing below. */
function fakeTerminal(columns: number, rows = 10) {
  let shown: string[] = [];
  let resized = (): void => {};
  const terminal = {
    isTTY: true,
    columns,
    rows,
    writes: 0,
    write(text: string) {
      terminal.writes += 1;
      // oxlint-disable-next-line no-control-regex -- the escape sequence of cursor movement
      for (const [, up, line] of text.matchAll(/\u001B\[(\d+)A\r\u001B\[J|([^\n\u001B]*)\n/g)) {
        if (up === undefined) shown.push(...broken(line ?? ""));
        else shown = shown.slice(0, shown.length - Number(up));
      }
    },
    on(_event: "resize", listener: () => void) {
      resized = listener;
    },
    resize(to: number) {
      terminal.columns = to;
      shown = shown.flatMap(broken);
      resized();
    },
    lines: () => shown,
  };
  const broken = (line: string): string[] =>
    line === "" ? [""] : (line.match(new RegExp(`.{1,${terminal.columns}}`, "g")) ?? []);
  return terminal;
}

describe("a screen on a terminal", () => {
  it("keeps the followed lines below the printed ones", () => {
    const terminal = fakeTerminal(20);
    const screen = createScreen(terminal);
    let state = "working";
    screen.print("started");
    screen.follow((width) => ["-".repeat(width), state]);
    state = "ready";
    screen.print("a line\nanother");
    expect(terminal.lines()).toEqual(["started", "a line", "another", "-".repeat(20), "ready"]);
  });

  it("draws only after a change", () => {
    const terminal = fakeTerminal(20);
    const screen = createScreen(terminal);
    let state = "working";
    screen.follow(() => [state]);
    const before = terminal.writes;
    screen.redraw();
    expect(terminal.writes).toBe(before);
    state = "ready";
    screen.redraw();
    expect(terminal.lines()).toEqual(["ready"]);
  });

  it("leaves no old lines when the terminal becomes narrower", () => {
    const terminal = fakeTerminal(20);
    const screen = createScreen(terminal);
    screen.print("printed");
    screen.follow((width) => ["x".repeat(width)]);
    terminal.resize(8);
    expect(terminal.lines()).toEqual(["printed", "xxxxxxxx"]);
  });

  it("draws at most as many lines as the terminal has", () => {
    const terminal = fakeTerminal(20, 3);
    createScreen(terminal).follow(() => ["1", "2", "3", "4"]);
    expect(terminal.lines()).toEqual(["1", "2"]);
  });

  it("only prints lines where it cannot move the cursor", () => {
    const terminal = fakeTerminal(20);
    const screen = createScreen(terminal, false);
    screen.follow(() => ["tree"]);
    screen.redraw();
    screen.print("line");
    expect(terminal.lines()).toEqual(["line"]);
  });

  it.each([
    ["in green on a terminal with colors", true, "\u001B[32mok\u001B[39m"],
    ["without color on a terminal that has none", false, "ok"],
  ])("shows a word %s", (_, colors, text) => {
    const terminal = { ...fakeTerminal(20), hasColors: () => colors };
    expect(createScreen(terminal).paint("green", "ok")).toBe(text);
  });
});
