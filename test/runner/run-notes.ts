/** Which test files ran: an empty file for each, named after its path. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export function notesDir(dir: string): string {
  const notes = join(dir, "ran");
  mkdirSync(notes, { recursive: true });
  return notes;
}

export function noteRun(notes: string, file: string): void {
  writeFileSync(join(notes, encodeURIComponent(file)), "");
}

export function readNotes(notes: string): ReadonlySet<string> {
  return new Set(readdirSync(notes).map((name) => decodeURIComponent(name)));
}
