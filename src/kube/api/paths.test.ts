import { describe, expect, it } from "vitest";

import { HOSTILE_IDS } from "../../../test/support/hostile/ids.ts";
import { THING } from "../../../test/support/kube/things.ts";
import { apiVersionOf, collectionPath, NAMESPACE, objectPath, SECRET } from "./paths.ts";

const ROOT = "/apis/test.platform-operator.io/v1";

describe("[E1] the path of an object", () => {
  it.each([
    [collectionPath(THING), `${ROOT}/things`],
    [collectionPath(THING, "team-a"), `${ROOT}/namespaces/team-a/things`],
    [collectionPath(SECRET, "team-a"), "/api/v1/namespaces/team-a/secrets"],
    [objectPath(THING, { namespace: "team-a", name: "a.b-c" }), `${ROOT}/namespaces/team-a/things/a.b-c`],
    [objectPath(SECRET, { namespace: "n", name: "a" }), "/api/v1/namespaces/n/secrets/a"],
    [objectPath(THING, { namespace: "n", name: "a" }, "status"), `${ROOT}/namespaces/n/things/a/status`],
    [objectPath(NAMESPACE, { namespace: "", name: "kube-system" }), "/api/v1/namespaces/kube-system"],
    [apiVersionOf(THING), "test.platform-operator.io/v1"],
    [apiVersionOf(SECRET), "v1"],
  ])("equals %s", (path, wanted) => {
    expect(path).toBe(wanted);
  });

  it.each([...HOSTILE_IDS, "A", "a_b", "-a", "a-", "a..b", "x".repeat(254)])("is refused for the name %j", (name) => {
    expect(() => objectPath(THING, { namespace: "default", name })).toThrow("DNS-1123");
  });

  it.each(["..", "a.b", "a/b", "x".repeat(64)])("is refused for the namespace %j", (namespace) => {
    expect(() => collectionPath(THING, namespace)).toThrow("DNS-1123");
  });

  it("is refused for a namespaced object without a namespace, as it would be another path", () => {
    expect(() => objectPath(THING, { namespace: "", name: "a" })).toThrow("needs a namespace");
  });
});
