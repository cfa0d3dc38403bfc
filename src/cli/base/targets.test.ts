import { describe, expect, it } from "vitest";

import { stored } from "../../../test/support/kube/stored.ts";
import { CliError, UsageError } from "./exit.ts";
import { externalIdOf, kindNamed, nameOf, parseTarget, parseTargets, shortTarget } from "./targets.ts";

describe("an argument that names an object of one of two kinds", () => {
  const kinds = ["PlatformApplication", "PlatformDatabase"];

  it.each([
    ["api", "api"],
    ["papp/api", "api"],
    ["PlatformApplication/api", "api"],
    ["platformapplications.platform-operator.io/api.v2", "api.v2"],
  ])("accepts %s", (text, name) => {
    expect(nameOf(text, kinds)).toEqual({ kind: "PlatformApplication", name });
  });

  it.each([
    ["pproj/api", '"pproj/api" is not allowed here. Use papp/api or pdbase/api.'],
    ["nothing/api", '"nothing/api" is not allowed here. Use papp/api or pdbase/api.'],
    ["papp/", '"papp/" is not a valid name.'],
    ["papp/a/b", '"papp/a/b" is not a valid name.'],
    ["Upper", '"Upper" is not a valid name.'],
    ["../secret", '"../secret" is not allowed here. Use papp/secret or pdbase/secret.'],
  ])("rejects %s", (text, message) => {
    expect(() => nameOf(text, kinds)).toThrow(new UsageError(message));
  });
});

describe("the id of an object on the platform", () => {
  const id = "0f1e2d3c-0000-4000-8000-000000000001";

  it("is the externalId in its status", () => {
    expect(externalIdOf(stored("PlatformApplication", "api", { status: { externalId: id } }))).toBe(id);
  });

  it.each([
    [
      "quotes the condition Ready",
      [{ type: "Ready", message: "Waiting for its project." }],
      "Waiting for its project.",
    ],
    [
      "says that the operator has not reconciled it",
      [{ type: "Synced", message: "Not this." }],
      "The operator has not seen it yet.",
    ],
  ])("is reported missing with a message that %s", (_what, conditions, because) => {
    const error = new CliError(`PlatformApplication "api" is not on the platform yet. ${because}`);
    expect(() => externalIdOf(stored("PlatformApplication", "api", { status: { conditions } }))).toThrow(error);
  });
});

it("an unknown kind is rejected with a list of the kinds there are", () => {
  expect(kindNamed("PAPP")).toBe("PlatformApplication");
  expect(() => kindNamed("pods")).toThrow(/"pods" is not a kind of platform-operator\.io\..* pproj, penv, papp/);
  expect(() => kindNamed("toString")).toThrow(UsageError);
});

it.each(["papp", "papp/", "/api", "papp/a/b", ""])("%j is rejected because it names no object of a kind", (text) => {
  expect(() => parseTarget(text)).toThrow(/give kind and name, e\.g\. papp\/api/);
});

it.each([[["papp/api", "papp/web"]], [["papp", "api", "web"]]])("%j names two objects", (words) => {
  expect(parseTargets(words).map(shortTarget)).toEqual(["papp/api", "papp/web"]);
});
