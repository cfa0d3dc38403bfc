import { describe, it } from "vitest";

import {
  expectRefused,
  expectSent,
  ID,
  LONE_SURROGATE,
  type Refused,
  type Sent,
} from "../../../test/support/platform/requests.ts";
import type { Platform } from "../index.ts";
import type { BlueprintInput } from "./blueprints.ts";

const input = { name: "cache", tag: "redis/1.0", icon: "https://x.example/y.svg" };
const create = (change: Partial<BlueprintInput>, deploy = false) => {
  return (platform: Platform) => platform.blueprints.create(ID, { ...input, ...change }, { deploy });
};

describe("a blueprint", () => {
  it.each<Sent>([
    ["created alone", create({}), `POST /environment/${ID}/blueprint?deploy=false`, input],
    [
      "created with its overrides as they are, and deployed",
      create({ specOverrides: { engine_version: "1.9", timeout: 60, backend: null } }, true),
      `POST /environment/${ID}/blueprint?deploy=true`,
      { ...input, spec_overrides: { engine_version: "1.9", timeout: 60, backend: null } },
    ],
    [
      "created with overrides that are null, which is not the same as none",
      create({ specOverrides: null }),
      `POST /environment/${ID}/blueprint?deploy=false`,
      { ...input, spec_overrides: null },
    ],
    [
      "created with variables",
      create({
        variables: [
          { name: "A", value: "" },
          { name: "B", value: "s3cret", isSecret: true },
        ],
      }),
      `POST /environment/${ID}/blueprint?deploy=false`,
      {
        ...input,
        variables: [
          { name: "A", value: "", is_secret: false },
          { name: "B", value: "s3cret", is_secret: true },
        ],
      },
    ],
  ])("is sent: %s", async (_name, call, request, body) => expectSent(call, request, body));

  it.each<Refused>([
    ["no name and tag", create({ name: "", tag: "" }), "name: blank; tag: blank"],
    ["an icon that is no URI", create({ icon: "y.svg" }), "icon: not a URI"],
    [
      "a variable without a name, and one with half a character",
      create({
        variables: [
          { name: "", value: "" },
          { name: "B", value: `s3cret${LONE_SURROGATE}`, isSecret: true },
        ],
      }),
      "variables.0.name: blank; variables.1.value: not well-formed Unicode",
    ],
    [
      "overrides that JSON cannot say",
      create({ specOverrides: { cpu: NaN, engine_version: LONE_SURROGATE } }),
      "specOverrides.cpu: not a value of JSON; specOverrides.engine_version: not well-formed Unicode",
    ],
  ])("is refused: %s", async (_name, call, complaint) => expectRefused(call, complaint));
});
