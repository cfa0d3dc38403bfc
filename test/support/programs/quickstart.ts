import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../../examples/quickstart");

/** The values that examples/quickstart marks for replacement. */
const MARKED = {
  baseUrl: "https://platform.example.com",
  organizationId: "00000000-0000-4000-8000-000000000001",
  clusterId: "00000000-0000-4000-8000-000000000002",
  token: "replace-with-an-api-token",
};

/**
 * Returns examples/quickstart as one stream of YAML documents, in an order in which they can be applied, with the
 * marked values replaced.
 * @throws Error when a marked value no longer exists
 */
export function quickstart(values: typeof MARKED): string {
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  const documents = files.toSorted().map((name) => readFileSync(join(folder, name), "utf8"));
  return (["baseUrl", "organizationId", "clusterId", "token"] as const).reduce((text, key) => {
    if (!text.includes(MARKED[key])) throw new Error(`examples/quickstart does not mark the ${key}`);
    return text.replaceAll(MARKED[key], JSON.stringify(values[key]));
  }, documents.join("---\n"));
}
