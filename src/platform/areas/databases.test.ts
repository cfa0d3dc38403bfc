import { describe, it } from "vitest";

import {
  expectRefused,
  expectSent,
  ID,
  LONE_SURROGATE,
  type Refused,
  type Sent,
} from "../../../test/support/platform/requests.ts";

const input = { name: "db", type: "POSTGRESQL", mode: "MANAGED" };
const current = { id: ID, name: "db", record: { id: ID, ...input, version: "16", accessibility: "PRIVATE" } };

describe("a database", () => {
  it.each<Sent>([
    [
      "created with every setting",
      (platform) => platform.databases.create(ID, { ...input, version: "16", cpu: 250, memory: 512, storage: 10 }),
      `POST /environment/${ID}/database`,
      { ...input, version: "16", cpu: 250, memory: 512, storage: 10 },
    ],
    [
      "created with what is needed",
      (platform) => platform.databases.create(ID, { ...input, version: undefined }),
      `POST /environment/${ID}/database`,
      input,
    ],
    [
      "changed on top of what is there, but for type and mode",
      (platform) => platform.databases.update(current, { name: "main", storage: 20, ...{ type: "MYSQL" } }),
      `PUT /database/${ID}`,
      { ...input, name: "main", version: "16", accessibility: "PRIVATE", storage: 20 },
    ],
  ])("is sent: %s", async (_name, call, request, body) => expectSent(call, request, body));

  it.each<Refused>([
    [
      "no name, type and mode",
      (platform) => platform.databases.create(ID, { name: "", type: "", mode: "" }),
      "name: blank; type: blank; mode: blank",
    ],
    ["no name in a PUT", (platform) => platform.databases.update(current, { name: "" }), "name: blank"],
    [
      "half a character",
      (platform) => platform.databases.create(ID, { ...input, version: LONE_SURROGATE }),
      "version: not well-formed Unicode",
    ],
    [
      "a size that is none",
      (platform) => platform.databases.create(ID, { ...input, storage: -Infinity }),
      "storage: Invalid input: expected number, received -Infinity",
    ],
  ])("is refused: %s", async (_name, call, complaint) => expectRefused(call, complaint));
});
