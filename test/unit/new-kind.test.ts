import { globSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { namesOf } from "../../scripts/new-kind/names.ts";
import { registered, registrationsOf } from "../../scripts/new-kind/registrations.ts";
import { FILL_IN } from "../../scripts/new-kind/skeleton.ts";
import { root, textOf } from "./repository.ts";

const registrations = registrationsOf(namesOf("PlatformRegistry"));

/** test/integration/new-kind.test.ts runs `make new-kind`. */
describe("a new kind", () => {
  it("has names for all that is called after it", () => {
    expect(namesOf("PlatformVariableSet")).toEqual({
      kind: "PlatformVariableSet",
      resource: "platformVariableSet",
      type: "VariableSet",
      types: "VariableSets",
      camel: "variableSet",
      camels: "variableSets",
      folder: "variable-set",
      noun: "variable set",
      nouns: "variable sets",
      short: "pvarset",
    });
    expect(namesOf("PlatformRegistry").nouns).toBe("registries");
    expect(namesOf("PlatformMailbox").nouns).toBe("mailboxes");
    expect(namesOf("PlatformKey").nouns).toBe("keys");
  });

  it.each(["", "Registry", "platformRegistry", "PlatformRegistry2", "Platform../../x"])("is not called %j", (name) => {
    expect(() => namesOf(name)).toThrow("is no name of a kind");
  });

  it.each(registrations)("has its place in $file: $lines", (registration) => {
    const text = textOf(registration.file);
    const twice = registered(registered(text, registration), registration);
    expect(twice).toHaveLength(text.length + 2 * (registration.lines.length + 1));
    expect(() => registered("", registration)).toThrow("any more");
  });

  it.each(
    globSync(["src/kinds/*/*.ts", "src/platform/areas/*.ts", "test/samples/*.ts", "examples/*.yaml"], { cwd: root }),
  )("is filled in: %s", (file) => {
    expect(textOf(file)).not.toContain(FILL_IN);
  });
});
