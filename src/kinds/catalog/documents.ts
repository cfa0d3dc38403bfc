/**
 * Makes JSON documents of the sections that fit into one ConfigMap. Pure, but for the digest, which is asynchronous.
 */
import { stringifyJson } from "../../platform/codec/json.ts";
import { sha256 } from "../shared/text.ts";
import type { Section } from "./sections.ts";

export interface Documents {
  /** By file name. */
  readonly data: Readonly<Record<string, string>>;
  /** How many items of which section did not fit. */
  readonly omitted: readonly { readonly name: Section["name"]; readonly count: number }[];
}

/** A ConfigMap holds 1 MiB, and the API server's own limit of a request is close to that. */
export const MAX_BYTES = 900 * 1024;

/** The size of a document around its items. */
const FRAME_BYTES = 512;

const encoder = new TextEncoder();

/**
 * Returns one document per section: `{"results": [...]}`, one item a line, as the platform's own lists look. `omitted`
 * counts what does not fit; a section that cannot be read says why in `error`.
 * @param maxBytes of all documents together, in UTF-8
 */
export function documentsOf(sections: readonly Section[], maxBytes: number = MAX_BYTES): Documents {
  let room = maxBytes;
  const documents = sections.map(({ name, items, error }) => {
    room -= FRAME_BYTES + (error === undefined ? 0 : encoder.encode(error).length * 2);
    const lines: string[] = [];
    for (const item of items) {
      const line = stringifyJson(item);
      // Two more for the comma and the line break.
      const size = encoder.encode(line).length + 2;
      if (size > room) break;
      room -= size;
      lines.push(line);
    }
    return { name, text: documentText(lines, items.length - lines.length, error), count: items.length - lines.length };
  });
  return {
    data: Object.fromEntries(documents.map(({ name, text }) => [`${name}.json`, text])),
    omitted: documents.filter(({ count }) => count > 0).map(({ name, count }) => ({ name, count })),
  };
}

function documentText(lines: readonly string[], omitted: number, error: string | undefined): string {
  const notes = { ...(omitted > 0 && { omitted }), ...(error !== undefined && { error }) };
  const noted = Object.entries(notes).map(([name, note]) => `${JSON.stringify(name)}:${JSON.stringify(note)},\n`);
  return `{\n${noted.join("")}"results":[\n${lines.join(",\n")}\n]\n}\n`;
}

/** @returns the SHA-256 of everything that was read, in hex, whether or not it fits into the ConfigMap */
export async function digestOf(sections: readonly Section[]): Promise<string> {
  return await sha256(stringifyJson(sections));
}
