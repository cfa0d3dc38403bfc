import { describe } from "vitest";

import { ID, itRefuses, itSends, LONE_SURROGATE } from "../../../test/support/platform/requests.ts";
import type { Platform } from "../index.ts";
import type { DatabaseInput } from "./databases.ts";

const input = { name: "db", type: "POSTGRESQL", mode: "MANAGED" };
const sizes = { version: "16", cpu: 250, memory: 512, storage: 10 };
const current = { id: ID, name: "db", record: { id: ID, ...input, version: "16", accessibility: "PRIVATE" } };
const create = (change: Partial<DatabaseInput>) => (platform: Platform) =>
  platform.databases.create(ID, { ...input, ...change });
const update = (change: { name: string; storage?: number; type?: string }) => (platform: Platform) =>
  platform.databases.update(current, change);
const post = `POST /environment/${ID}/database`;

describe("a database", () => {
  itSends(
    ["created with every setting", create(sizes), post, { ...input, ...sizes }],
    ["created with what is needed", create({ version: undefined }), post, input],
    [
      "changed on top of what is there, but for type and mode",
      update({ name: "main", storage: 20, type: "MYSQL" }),
      `PUT /database/${ID}`,
      { ...input, name: "main", version: "16", accessibility: "PRIVATE", storage: 20 },
    ],
  );

  itRefuses(
    ["no name, type and mode", create({ name: "", type: "", mode: "" }), "name: blank; type: blank; mode: blank"],
    ["no name in a PUT", update({ name: "" }), "name: blank"],
    ["half a character", create({ version: LONE_SURROGATE }), "version: not well-formed Unicode"],
    ["no size", create({ storage: -Infinity }), "storage: Invalid input: expected number, received -Infinity"],
  );
});
