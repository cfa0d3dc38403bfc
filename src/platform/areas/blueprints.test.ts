import { describe } from "vitest";

import { ID, itRefuses, itSends, LONE_SURROGATE } from "../../../test/support/platform/requests.ts";
import type { Platform } from "../index.ts";
import type { BlueprintInput } from "./blueprints.ts";

const input = { name: "cache", tag: "redis/1.0", icon: "https://x.example/y.svg" };
const create = (change: Partial<BlueprintInput>, deploy = false) => {
  return (platform: Platform) => platform.blueprints.create(ID, { ...input, ...change }, { deploy });
};
const post = `POST /environment/${ID}/blueprint?deploy=false`;
const plain = { name: "A", value: "" };
const secret = { name: "B", value: "s3cret" };
const specOverrides = { engine_version: "1.9", timeout: 60, backend: null };

describe("a blueprint", () => {
  itSends(
    ["created alone", create({}), post, input],
    [
      "created with its overrides as they are, and deployed",
      create({ specOverrides }, true),
      `POST /environment/${ID}/blueprint?deploy=true`,
      { ...input, spec_overrides: specOverrides },
    ],
    ["created with null overrides", create({ specOverrides: null }), post, { ...input, spec_overrides: null }],
    [
      "created with variables",
      create({ variables: [plain, { ...secret, isSecret: true }] }),
      post,
      {
        ...input,
        variables: [
          { ...plain, is_secret: false },
          { ...secret, is_secret: true },
        ],
      },
    ],
  );

  itRefuses(
    ["no name and tag", create({ name: "", tag: "" }), "name: blank; tag: blank"],
    ["an icon that is no URI", create({ icon: "y.svg" }), "icon: not a URI"],
    [
      "a variable without a name, and one with half a character",
      create({
        variables: [
          { ...plain, name: "" },
          { ...secret, value: `s3cret${LONE_SURROGATE}` },
        ],
      }),
      "variables.0.name: blank; variables.1.value: not well-formed Unicode",
    ],
    [
      "overrides that JSON cannot say",
      create({ specOverrides: { cpu: NaN, engine_version: LONE_SURROGATE } }),
      "specOverrides.cpu: not a value of JSON; specOverrides.engine_version: not well-formed Unicode",
    ],
  );
});
