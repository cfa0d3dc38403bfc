/** Writes lines that stay, and on a terminal redraws a part below them in place. */
import { stripVTControlCharacters } from "node:util";

import { paintFor, type Stream } from "../../base/io.ts";

export type Screen = ReturnType<typeof createScreen>;

const WIDTH = 80;
const HEIGHT = 24;

/** @param live whether the terminal can move its cursor up */
export function createScreen(terminal: Stream, live = terminal.isTTY === true) {
  let render: (width: number) => readonly string[] = () => [];
  let drawn: readonly string[] = [];

  const width = (): number => terminal.columns ?? WIDTH;
  const rendered = (): readonly string[] => render(width()).slice(0, Math.max(1, (terminal.rows ?? HEIGHT) - 1));
  /** Returns how many rows to erase: a terminal that became narrower has wrapped its lines. */
  const height = (): number =>
    drawn
      .map((line) => Math.max(1, Math.ceil(stripVTControlCharacters(line).length / width())))
      .reduce((sum, rows) => sum + rows, 0);
  /** Writes once, so that nothing flickers. */
  const write = (text: string, below: readonly string[]): void => {
    const rows = height();
    const erase = rows === 0 ? "" : `\u001B[${rows}A\r\u001B[J`;
    drawn = below;
    terminal.write(erase + text + below.map((line) => `${line}\n`).join(""));
  };
  terminal.on?.("resize", () => {
    write("", rendered());
  });
  return {
    /** Whether a part can be redrawn in place. */
    live,
    paint: paintFor(terminal),
    /** Writes lines that stay. */
    print: (text: string): void => {
      write(`${text}\n`, rendered());
    },
    /** Sets the part that is drawn below all lines; on a terminal only. @param next renders it for a width */
    follow: (next: typeof render): void => {
      if (!live) return;
      render = next;
      write("", rendered());
    },
    /** Draws that part again if it has changed. */
    redraw: (): void => {
      const next = rendered();
      if (next.join("\n") !== drawn.join("\n")) write("", next);
    },
  };
}
