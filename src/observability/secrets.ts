/** Removes live secret values from texts: tokens in use and the values read from Secrets (docs/reliability.md E6). */
import { isDeepStrictEqual } from "node:util";

import { PLAIN_CONNECTION_KEYS } from "../api/names.ts";
import { sentJson } from "../kube/api/json.ts";
import type { EventRecorder } from "../kube/api/types.ts";
import type { Reader } from "../kube/watch/readers.ts";
import type { Writer } from "../kube/write/writer.ts";
import { spellingsOf } from "../platform/codec/text.ts";

/** The number of Secrets and tokens that are remembered; the one registered longest ago is dropped. */
const REMEMBERED = 2_000;
const MARK = "[redacted]";

export type Redactor = ReturnType<typeof createRedactor>;

/** @returns a redactor without values */
export function createRedactor() {
  const held = new Map<string, { readonly values: readonly string[]; readonly forms: readonly string[] }>();

  return {
    /**
     * Registers the current values of `source`. Its earlier values stay redacted too, as a value that was just rotated
     * may still be in use.
     */
    hold: (source: string, values: readonly string[]): void => {
      const before = held.get(source);
      held.delete(source);
      if (before !== undefined && isDeepStrictEqual(before.values, values)) {
        held.set(source, before);
        return;
      }
      const forms = [...values.flatMap(spellingsOf), ...(before?.values ?? []).flatMap(spellingsOf)];
      held.set(source, { values, forms: [...new Set(forms)] });
      const oldest = held.keys().next().value;
      if (held.size > REMEMBERED && oldest !== undefined) held.delete(oldest);
    },
    /**
     * @param namespace limits the redaction to values of its Secrets; if absent, all Secrets and tokens are redacted
     * @returns `text` without any registered value, whether plain, inside JSON, base64 or percent-encoded
     */
    redact: (text: string, namespace?: string): string => {
      let clean = text;
      for (const [source, { forms }] of held) {
        if (namespace !== undefined && !source.startsWith(sourceOf(namespace, ""))) continue;
        for (const form of forms) if (clean.includes(form)) clean = clean.replaceAll(form, MARK);
      }
      return clean;
    },
  };
}

/** @returns a reader that registers every value that it reads from a Secret */
export function redacting(reader: Reader, redactor: Redactor): Reader {
  return {
    ...reader,
    secret: async (namespace, name, maxAgeMs) => {
      const secret = await reader.secret(namespace, name, maxAgeMs);
      if (secret !== undefined) redactor.hold(sourceOf(namespace, name), hidden(secret.data));
      return secret;
    },
  };
}

/** Returns the secret values: a Secret that the operator wrote also has names and ids, which are not secret. */
function hidden(data: ReadonlyMap<string, string>): readonly string[] {
  const isOurs = data.has("id") && data.has("environmentId");
  return [...data].flatMap(([key, value]) => (isOurs && PLAIN_CONNECTION_KEYS.has(key) ? [] : [value]));
}

/**
 * Redacts statuses: any answer of the platform may quote an earlier request. Only values of the object's own namespace
 * are redacted, so that a Secret cannot mask texts in other namespaces. Tokens are masked where they are used.
 * @returns a writer whose statuses contain no value of a Secret in a message at any depth
 */
export function discreetWriter(writer: Writer, redactor: Redactor): Writer {
  return {
    ...writer,
    patchStatus: (object, status) => {
      const { namespace } = object.metadata;
      const mask = (name: string, value: unknown): unknown =>
        name === "message" && typeof value === "string" ? redactor.redact(value, namespace ?? "") : value;
      return writer.patchStatus(object, sentJson(status, mask));
    },
  };
}

/** @returns a recorder whose notes contain no value of a Secret either */
export function discreetEvents(events: EventRecorder, redactor: Redactor): EventRecorder {
  return {
    record: (event) => {
      const { namespace = "" } = event.regarding.metadata;
      events.record({ ...event, note: redactor.redact(event.note, namespace) });
    },
  };
}

function sourceOf(namespace: string, secret: string): string {
  return `Secret/${namespace}/${secret}`;
}
