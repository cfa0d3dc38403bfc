import { expect, it } from "vitest";

import { gitProvider } from "./applications.ts";

it.each([
  ["https://github.com/acme/web.git", "GITHUB"],
  ["https://GitHub.acme.com/web", "GITHUB"],
  ["git@gitlab.com:acme/web.git", "GITLAB"],
  ["ssh://git@bitbucket.org/acme/web.git", "BITBUCKET"],
  ["https://git.acme.com/github/web.git", undefined],
  ["git@git.acme.com:github/web.git", undefined],
  ["not a url", undefined],
  ["", undefined],
])("the provider of %j is %s", (url, expected) => {
  expect(gitProvider(url)).toBe(expected);
});
