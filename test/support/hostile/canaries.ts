/** Searches for canary values, which must not appear anywhere, in all their encodings. */

export type Captured = Readonly<Record<string, string>>;

/** @returns "source: canary, form" for each finding */
export function findCanaries(captured: Captured, canaries: Readonly<Record<string, string>>): readonly string[] {
  const sought = Object.entries(canaries).flatMap(([name, value]) =>
    Object.entries(formsOf(value)).map(([form, text]) => ({ name, form, text })),
  );
  return Object.entries(captured).flatMap(([where, text]) =>
    sought.filter((one) => text.includes(one.text)).map(({ name, form }) => `${where}: ${name}, ${form}`),
  );
}

/** The encodings of a value. Of base64, only the part that does not depend on the bytes around the value. */
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

/** Escapes like Go's encoding/json, with which the API server and kubectl write JSON: also characters of HTML. */
function escapedByGo(json: string): string {
  return json.replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026");
}

/** Returns the base64 of a value without the characters that contain bits of neighbouring bytes. */
function inside(value: string, offset: number, encoding: "base64" | "base64url"): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
  const text = bytes.toString(encoding).replace(/=+$/, "");
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
}
