import { describe, it } from "vitest";

import {
  expectRefused,
  expectSent,
  ID,
  LONE_SURROGATE,
  OTHER,
  type Refused,
  type Sent,
} from "../../../test/support/platform/requests.ts";

const secret = { key: "PASSWORD", value: "hunter22" };
const broken = { key: "PASSWORD", value: `hunter22${LONE_SURROGATE}` };
const at = `/application/${ID}`;

describe("a variable", () => {
  it.each<Sent>([
    [
      "imported, with a scope where there is one",
      (platform) =>
        platform.variables.import(ID, {
          overwrite: true,
          vars: [
            { name: "A", value: "", isSecret: false },
            { name: "B", value: "hunter22", isSecret: true, scope: "APPLICATION" },
          ],
        }),
      `POST ${at}/environmentVariable/import`,
      {
        overwrite: true,
        vars: [
          { name: "A", value: "", is_secret: false },
          { name: "B", value: "hunter22", is_secret: true, scope: "APPLICATION" },
        ],
      },
    ],
    [
      "created, its value empty",
      (platform) => platform.variables.create(ID, { key: "A", value: "" }),
      `POST ${at}/environmentVariable`,
      { key: "A", value: "" },
    ],
    [
      "changed",
      (platform) => platform.variables.update(ID, OTHER, { key: "A", value: "2" }),
      `PUT ${at}/environmentVariable/${OTHER}`,
      { key: "A", value: "2" },
    ],
    ["created as a secret", (platform) => platform.secrets.create(ID, secret), `POST ${at}/secret`, secret],
    [
      "changed as a secret",
      (platform) => platform.secrets.update(ID, OTHER, secret),
      `PUT ${at}/secret/${OTHER}`,
      secret,
    ],
  ])("is sent: %s", async (_name, call, request, body) => expectSent(call, request, body));

  it.each<Refused>([
    [
      "an import with a name missing and half a character",
      (platform) =>
        platform.variables.import(ID, {
          overwrite: false,
          vars: [
            { name: "A", value: "1", isSecret: false },
            { name: "", value: broken.value, isSecret: true },
          ],
        }),
      "vars.1.name: blank; vars.1.value: not well-formed Unicode",
    ],
    ["no key", (platform) => platform.variables.create(ID, { key: "", value: "1" }), "key: blank"],
    ["no key in a PUT", (platform) => platform.variables.update(ID, OTHER, { key: " ", value: "1" }), "key: blank"],
    [
      "half a character in a secret",
      (platform) => platform.secrets.create(ID, broken),
      "value: not well-formed Unicode",
    ],
    [
      "half a character in the PUT of a secret",
      (platform) => platform.secrets.update(ID, OTHER, broken),
      "value: not well-formed Unicode",
    ],
  ])("is refused: %s", async (_name, call, complaint) => expectRefused(call, complaint));
});
