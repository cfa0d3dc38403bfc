import { describe } from "vitest";

import { ID, itRefuses, itSends, LONE_SURROGATE, OTHER } from "../../../test/support/platform/requests.ts";

const secret = { key: "PASSWORD", value: "hunter22" };
const broken = { key: "PASSWORD", value: `hunter22${LONE_SURROGATE}` };
const empty = { key: "A", value: "" };
const at = `/application/${ID}`;
const plain = { name: "A", value: "", isSecret: false };
const scoped = { name: "B", value: "hunter22", isSecret: true, scope: "APPLICATION" };

describe("a variable", () => {
  itSends(
    [
      "imported, with a scope where there is one",
      ({ variables }) => variables.import(ID, { overwrite: true, vars: [plain, scoped] }),
      `POST ${at}/environmentVariable/import`,
      {
        overwrite: true,
        vars: [
          { name: "A", value: "", is_secret: false },
          { name: "B", value: "hunter22", is_secret: true, scope: "APPLICATION" },
        ],
      },
    ],
    ["created, empty", ({ variables }) => variables.create(ID, empty), `POST ${at}/environmentVariable`, empty],
    ["changed", ({ variables }) => variables.update(ID, OTHER, empty), `PUT ${at}/environmentVariable/${OTHER}`, empty],
    ["created as a secret", ({ secrets }) => secrets.create(ID, secret), `POST ${at}/secret`, secret],
    ["changed as a secret", ({ secrets }) => secrets.update(ID, OTHER, secret), `PUT ${at}/secret/${OTHER}`, secret],
  );

  itRefuses(
    [
      "an import with a name missing and half a character",
      ({ variables }) =>
        variables.import(ID, { overwrite: false, vars: [plain, { ...plain, name: "", value: broken.value }] }),
      "vars.1.name: blank; vars.1.value: not well-formed Unicode",
    ],
    ["no key", ({ variables }) => variables.create(ID, { key: "", value: "1" }), "key: blank"],
    ["no key in a PUT", ({ variables }) => variables.update(ID, OTHER, { key: " ", value: "1" }), "key: blank"],
    ["half a character in a secret", ({ secrets }) => secrets.create(ID, broken), "value: not well-formed Unicode"],
    ["half a character in a PUT", ({ secrets }) => secrets.update(ID, OTHER, broken), "value: not well-formed Unicode"],
  );
});
