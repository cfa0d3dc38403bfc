import { parseJson } from "../base/json.ts";
import type { OperationId } from "../base/operations.ts";
import type { World } from "../model/world.ts";
import { mapValues, masked } from "../request/masks.ts";
import { routes } from "../routes/index.ts";

/** A secret that nobody thought of must not stand in the journal: a body of which nothing is declared is masked whole. */
const masksOf = new Map(routes.map(({ operation, keeps }) => [operation, keeps]));

/**
 * @param operation undefined for a route that does not exist: its body is not shown at all.
 * @returns the body as the journal may keep it: parsed, secret values masked; undefined without a body.
 */
export function maskBody(raw: Buffer, operation: OperationId | undefined, world: World): unknown {
  if (raw.length === 0) return undefined;
  const body = parse(raw);
  const masks = operation && masksOf.get(operation);
  if (masks === undefined || typeof body !== "object" || body === null || Array.isArray(body)) return masked;
  return mapValues({ ...body }, (value, member) =>
    Object.hasOwn(masks, member) ? masks[member]?.(value, world) : masked,
  );
}

function parse(raw: Buffer): unknown {
  try {
    return printable(parseJson(raw.toString()));
  } catch {
    return undefined;
  }
}

/** The journal is read as JSON, so integers beyond 2^53 are kept as text. */
function printable(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return value.map(printable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, printable(member)]));
}
