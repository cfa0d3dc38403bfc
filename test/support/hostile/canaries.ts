/** Values that must not show up anywhere, and the search for them in every form in which they could. */

/** A text that was captured, by where it comes from. */
export type Captured = Readonly<Record<string, string>>;

/** @returns "where: which canary, which form" for each place where one is found. */
export function findCanaries(captured: Captured, canaries: Readonly<Record<string, string>>): readonly string[] {
  const sought = Object.entries(canaries).flatMap(([name, value]) =>
    Object.entries(formsOf(value)).map(([form, text]) => ({ name, form, text })),
  );
  return Object.entries(captured).flatMap(([where, text]) =>
    sought.filter((one) => text.includes(one.text)).map(({ name, form }) => `${where}: ${name}, ${form}`),
  );
}

/**
 * The ways in which a value can be written. Of base64 the part that stays the same whatever stands around the value.
 */
export function formsOf(value: string): Readonly<Record<string, string>> {
  const json = JSON.stringify(value).slice(1, -1);
  return {
    raw: value,
    "JSON-escaped": json,
    "JSON-escaped twice": JSON.stringify(json).slice(1, -1),
    "JSON-escaped by Go": escapedByGo(json),
    "JSON-escaped twice by Go": escapedByGo(JSON.stringify(escapedByGo(json)).slice(1, -1)),
    "URL-encoded": encodeURIComponent(value),
    "form-encoded": new URLSearchParams([["", value]]).toString().slice(1),
    ...Object.fromEntries(
      [0, 1, 2].flatMap((offset) => [
        [`base64 at ${offset}`, inside(value, offset, "base64")],
        [`base64url at ${offset}`, inside(value, offset, "base64url")],
      ]),
    ),
    hex: Buffer.from(value).toString("hex"),
  };
}

/** As the API server and kubectl write JSON (Go's encoding/json escapes what HTML would read). */
function escapedByGo(json: string): string {
  return json.replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026");
}

/** Six bits a character: those that hold a bit of a neighbour are cut off. */
function inside(value: string, offset: number, encoding: "base64" | "base64url"): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
  const text = bytes.toString(encoding).replace(/=+$/, "");
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
}
