import { describe, expect, it } from "vitest";

import { UsageError } from "../../base/exit.ts";
import { fullName, kindNamed, parseTarget, parseTargets, shortTarget } from "./target.ts";

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
    expect(() => kindNamed("pods")).toThrow(/"pods" is no kind of platform-operator\.io\..* pproj, penv, papp/);
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
