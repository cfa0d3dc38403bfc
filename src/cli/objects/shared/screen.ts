/** Writes lines that stay, and on a terminal redraws a part below them in place. */
import { stripVTControlCharacters } from "node:util";

import { paintFor, type Paint, type Stream } from "../../base/io.ts";

/** The part of standard output that a screen uses. */
export interface Terminal extends Stream {
  on?(event: "resize", listener: () => void): unknown;
}

export interface Screen {
  /** Whether a part can be redrawn in place. */
  readonly live: boolean;
  readonly paint: Paint;
  /** Writes lines that stay. */
  readonly print: (text: string) => void;
  /** Draws this below everything from now on, given the width; on a terminal only. */
  readonly follow: (render: (width: number) => readonly string[]) => void;
  /** Draws it again. */
  readonly redraw: () => void;
}

const WIDTH = 80;
const HEIGHT = 24;

/** @param live whether the terminal can move its cursor up */
export function createScreen(terminal: Terminal, live = terminal.isTTY === true): Screen {
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
    live,
    paint: paintFor(terminal),
    print: (text) => {
      write(`${text}\n`, rendered());
    },
    follow: (next) => {
      if (!live) return;
      render = next;
      write("", rendered());
    },
    redraw: () => {
      const next = rendered();
      if (next.join("\n") !== drawn.join("\n")) write("", next);
    },
  };
}
