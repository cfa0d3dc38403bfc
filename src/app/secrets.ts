/** Keeps live secret values out of text: tokens in use and what was read from Secrets (reliability bar E6). */
import type { Reader } from "../kube/types.ts";
import { spellingsOf } from "../platform/spellings.ts";

/** How many Secrets and tokens are remembered; the one told longest ago makes room. */
const REMEMBERED = 2_000;
const MARK = "[redacted]";

export interface Redactor {
  /**
   * These are the values of `source` from now on. The ones before them stay redacted too, as a value that was just
   * rotated may still be in use.
   */
  hold(source: string, values: readonly string[]): void;
  /** @returns `text` without any value that is held, be it plain, inside JSON, base64 or percent-encoded. */
  redact(text: string): string;
}

interface Held {
  readonly values: readonly string[];
  readonly forms: readonly string[];
}

/** @returns a redactor that holds nothing yet. */
export function createRedactor(): Redactor {
  const held = new Map<string, Held>();

  return {
    hold: (source, values) => {
      const before = held.get(source);
      held.delete(source);
      if (before !== undefined && same(before.values, values)) {
        held.set(source, before);
        return;
      }
      const forms = [...values.flatMap(spellingsOf), ...(before?.values ?? []).flatMap(spellingsOf)];
      held.set(source, { values, forms: [...new Set(forms)] });
      const oldest = held.keys().next().value;
      if (held.size > REMEMBERED && oldest !== undefined) held.delete(oldest);
    },
    redact: (text) => {
      let clean = text;
      for (const { forms } of held.values()) {
        for (const form of forms) if (clean.includes(form)) clean = clean.replaceAll(form, MARK);
      }
      return clean;
    },
  };
}

/** @returns the reader, telling `redactor` every value that it reads from a Secret. */
export function redacting(reader: Reader, redactor: Redactor): Reader {
  return {
    ...reader,
    secret: async (namespace, name, maxAgeMs) => {
      const secret = await reader.secret(namespace, name, maxAgeMs);
      if (secret !== undefined) redactor.hold(`Secret/${namespace}/${name}`, [...secret.data.values()]);
      return secret;
    },
  };
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, at) => value === b[at]);
}
