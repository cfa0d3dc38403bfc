import { describe, expect, it } from "vitest";

import { CliError, UsageError } from "./exit.ts";
import {
  externalIdOf,
  fullName,
  kindNamed,
  kindOf,
  nameOf,
  parseTarget,
  parseTargets,
  shortTarget,
} from "./targets.ts";

describe("names of objects", () => {
  const kinds = ["PlatformApplication", "PlatformDatabase"];

  it.each([
    ["api", { kind: "PlatformApplication", name: "api" }],
    ["papp/api", { kind: "PlatformApplication", name: "api" }],
    ["PlatformApplication/api", { kind: "PlatformApplication", name: "api" }],
    ["platformapplications.platform-operator.io/api.v2", { kind: "PlatformApplication", name: "api.v2" }],
  ])("%s", (text, expected) => {
    expect(nameOf(text, kinds)).toEqual(expected);
  });

  it.each([
    ["pproj/api", '"pproj/api" is not allowed here. Use papp/api or pdbase/api.'],
    ["nothing/api", '"nothing/api" is not allowed here. Use papp/api or pdbase/api.'],
    ["papp/", '"papp/" is not a valid name.'],
    ["papp/a/b", '"papp/a/b" is not a valid name.'],
    ["Upper", '"Upper" is not a valid name.'],
    ["../secret", '"../secret" is not allowed here. Use papp/secret or pdbase/secret.'],
  ])("%s is refused", (text, message) => {
    expect(() => nameOf(text, kinds)).toThrow(new UsageError(message));
  });

  it.each([
    ["PAPP", "PlatformApplication"],
    ["platformproject", "PlatformProject"],
    ["platformcatalogs", "PlatformCatalog"],
    ["pods", undefined],
  ])("%s is a word for %s", (word, kind) => {
    expect(kindOf(word)).toBe(kind);
  });
});

describe("the id of an object", () => {
  const id = "0f1e2d3c-0000-4000-8000-000000000001";
  const object = (status: {
    readonly [member: string]: string | readonly { readonly [member: string]: string }[];
  }) => ({
    apiVersion: "platform-operator.io/v1alpha1",
    kind: "PlatformApplication",
    metadata: { name: "api", namespace: "shop", uid: "1", resourceVersion: "1" },
    status,
  });

  it("is what its status records", () => {
    expect(externalIdOf(object({ externalId: id }))).toBe(id);
  });

  it("is missing, and the condition Ready says why", () => {
    const conditions = [
      { type: "Synced", message: "Not this." },
      { type: "Ready", message: "Waiting for its project." },
    ];
    expect(() => externalIdOf(object({ conditions }))).toThrow(
      new CliError('PlatformApplication "api" is not on the platform yet. Waiting for its project.'),
    );
  });
});

describe("a kind", () => {
  it.each([
    ["papp"],
    ["PlatformApplication"],
    ["platformapplication"],
    ["platformapplications"],
    ["platformapplications.platform-operator.io"],
  ])("is known as %s", (word) => {
    expect(kindNamed(word)).toBe("PlatformApplication");
  });

  it("that is not ours is refused, and the others are named", () => {
    expect(() => kindNamed("pods")).toThrow(/"pods" is not a kind of platform-operator\.io\..* pproj, penv, papp/);
    expect(() => kindNamed("toString")).toThrow(UsageError);
  });
});

describe("an object", () => {
  it("is named by kind and name", () => {
    expect(parseTarget("penv/staging")).toEqual({ kind: "PlatformEnvironment", name: "staging" });
    expect(fullName({ kind: "PlatformProject", name: "web" })).toBe("platformproject.platform-operator.io/web");
    expect(shortTarget({ kind: "PlatformProject", name: "web" })).toBe("pproj/web");
  });

  it.each([["papp"], ["papp/"], ["/api"], ["papp/a/b"], [""]])("is not named by %j", (text) => {
    expect(() => parseTarget(text)).toThrow(/give kind and name, e\.g\. papp\/api/);
  });

  it.each([[["papp/api", "papp/web"]], [["papp", "api", "web"]]])("is one of several in %j", (words) => {
    expect(parseTargets(words)).toEqual([
      { kind: "PlatformApplication", name: "api" },
      { kind: "PlatformApplication", name: "web" },
    ]);
  });
});
