import { describe } from "vitest";

import {
  ID,
  itRefuses,
  itSends,
  LONE_SURROGATE,
  ORGANIZATION,
  OTHER,
} from "../../../test/support/platform/requests.ts";
import type { Platform } from "../index.ts";

const create = (description?: string) => (platform: Platform) => platform.projects.create({ name: "web", description });
const update = (name: string) => (platform: Platform) => platform.projects.update(current, { name });
const [post, put] = [`POST /organization/${ORGANIZATION}/project`, `PUT /project/${ID}`];
const current = {
  id: ID,
  name: "web",
  record: { id: ID, name: "web", description: "shop", tier: 2, created_at: "x", organization: { id: OTHER } },
};

describe("a project", () => {
  itSends(
    ["created with a name alone", create(), post, { name: "web" }],
    ["created with a description, which may be empty", create(""), post, { name: "web", description: "" }],
    ["changed on top of what is there", update("shop"), put, { name: "shop", description: "shop", tier: 2 }],
  );

  itRefuses(
    ["no name", (platform) => platform.projects.create({ name: "" }), "name: blank"],
    ["a blank name in a PUT", update(" \t"), "name: blank"],
    ["half a character", create(LONE_SURROGATE), "description: not well-formed Unicode"],
  );
});
