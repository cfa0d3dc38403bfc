import { describe, expect, it } from "vitest";

import { shortNameOf, wordOf } from "./words.ts";

describe("a kind", () => {
  it.each([
    ["PlatformApplication", "application", "papp"],
    ["ClusterPlatformConnection", "cluster connection", "cpconn"],
    ["PlatformVariableSet", "variable set", "pvars"],
  ])("%s is called %s and %s", (kind, word, short) => {
    expect(wordOf(kind)).toBe(word);
    expect(shortNameOf(kind)).toBe(short);
  });

  it("of somebody else's has no short name", () => {
    expect(shortNameOf("ConfigMap")).toBe("configmap");
  });
});
