/**
 * The fields that an error body names, one by one. The spec shows no body for 400 and 422 and mentions a field that is
 * refused; services write such lists in several ways, and all of those that are common are understood.
 */
import { z } from "zod";

/** Where a list of fields is found. */
const LISTS = ["errors", "violations", "fields", "details", "detail", "invalid_fields"] as const;
const NAMES = ["field", "fieldPath", "path", "property", "name", "loc", "pointer"] as const;
const WORDS = ["message", "msg", "reason", "detail", "error", "code"] as const;
const MAX_FIELDS = 20;

const members = z.record(z.string(), z.unknown());

/**
 * What a body says of single fields, e.g. "spec_overrides.backend: is not overridable"; none where it names none.
 * @param body parsed JSON of any shape
 */
export function fieldComplaints(body: unknown): readonly string[] {
  const own = members.safeParse(body).data ?? {};
  for (const list of LISTS) {
    const found = complaintsIn(own[list]);
    if (found.length > 0) return found.slice(0, MAX_FIELDS);
  }
  return [];
}

function complaintsIn(list: unknown): readonly string[] {
  if (Array.isArray(list)) return list.flatMap((item: unknown) => complaintOf(item) ?? []);
  // By name of the field: one word each, or several.
  return Object.entries(members.safeParse(list).data ?? {}).flatMap(([field, said]) => {
    const words = textOf(said);
    return words === undefined ? [] : [`${field}: ${words}`];
  });
}

function complaintOf(item: unknown): string | undefined {
  const parts = members.safeParse(item).data;
  if (parts === undefined) return textOf(item);
  const field = firstText(parts, NAMES, ".");
  const words = firstText(parts, WORDS, ", ");
  return field === undefined || words === undefined ? (field ?? words) : `${field}: ${words}`;
}

function firstText(
  parts: Readonly<Record<string, unknown>>,
  names: readonly string[],
  separator: string,
): string | undefined {
  return names.map((name) => textOf(parts[name], separator)).find((text) => text !== undefined);
}

/** A text, or texts and numbers as one. */
function textOf(value: unknown, separator = ", "): string | undefined {
  if (Array.isArray(value)) {
    const texts = value.filter((item: unknown) => typeof item === "string" || typeof item === "number");
    return texts.length === 0 ? undefined : texts.join(separator);
  }
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
