import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export function notesDir(dir: string): string {
  return join(dir, "ran");
}

export function noteRun(notes: string, file: string): void {
  mkdirSync(notes, { recursive: true });
  writeFileSync(join(notes, randomUUID()), file);
}

export function readNotes(notes: string): ReadonlySet<string> {
  mkdirSync(notes, { recursive: true });
  return new Set(readdirSync(notes).map((note) => readFileSync(join(notes, note), "utf8")));
}
