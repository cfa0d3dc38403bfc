import { describe, it } from "vitest";

import {
  expectRefused,
  expectSent,
  ID,
  LONE_SURROGATE,
  ORGANIZATION,
  OTHER,
  type Refused,
  type Sent,
} from "../../../test/support/platform/requests.ts";

const current = {
  id: ID,
  name: "web",
  record: { id: ID, name: "web", description: "shop", tier: 2, created_at: "x", organization: { id: OTHER } },
};

describe("a project", () => {
  it.each<Sent>([
    [
      "created with a name alone",
      (platform) => platform.projects.create({ name: "web", description: undefined }),
      `POST /organization/${ORGANIZATION}/project`,
      { name: "web" },
    ],
    [
      "created with a description, which may be empty",
      (platform) => platform.projects.create({ name: "web", description: "" }),
      `POST /organization/${ORGANIZATION}/project`,
      { name: "web", description: "" },
    ],
    [
      "changed on top of what is there",
      (platform) => platform.projects.update(current, { name: "shop" }),
      `PUT /project/${ID}`,
      { name: "shop", description: "shop", tier: 2 },
    ],
  ])("is sent: %s", async (_name, call, request, body) => expectSent(call, request, body));

  it.each<Refused>([
    ["no name", (platform) => platform.projects.create({ name: "" }), "name: blank"],
    ["a blank name in a PUT", (platform) => platform.projects.update(current, { name: " \t" }), "name: blank"],
    [
      "half a character",
      (platform) => platform.projects.create({ name: "web", description: LONE_SURROGATE }),
      "description: not well-formed Unicode",
    ],
  ])("is refused: %s", async (_name, call, complaint) => expectRefused(call, complaint));
});
