/** Members to set and to take out, by dotted path; array positions are numbers. */
export interface Edits {
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove: readonly string[];
}

/** @returns the JSON text with the edits made; text that is no JSON object or array stays as it is. */
export function editJson(body: Buffer, edits: Edits): Buffer {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return body;
  }
  for (const [path, member] of Object.entries(edits.set))
    change(value, path, (holder, key) => void (holder[key] = member));
  for (const path of edits.remove) change(value, path, (holder, key) => void delete holder[key]);
  return Buffer.from(JSON.stringify(value));
}

function change(root: unknown, path: string, edit: (holder: Record<string, unknown>, key: string) => void): void {
  const keys = path.split(".");
  const last = keys.pop();
  let holder: unknown = root;
  for (const key of keys) holder = isObject(holder) ? holder[key] : undefined;
  if (last !== undefined && isObject(holder)) edit(holder, last);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
