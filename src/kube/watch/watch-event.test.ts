import { describe, expect, it } from "vitest";

import { THING } from "../../../test/support/kube/things.ts";
import { type ObjectVersion, parseEvent } from "./watch-event.ts";

const STORED = { key: { kind: "Thing", namespace: "team", name: "a" }, uid: "u-1", resourceVersion: "7" };
const isStored = (version: ObjectVersion): boolean => JSON.stringify(version) === JSON.stringify(STORED);

/** A line of a watch, its members in the order of the API server. */
function line({ type = "MODIFIED", meta = {}, spec = {} }: { type?: string; meta?: object; spec?: object }): string {
  const { apiVersion, kind } = { apiVersion: "test.platform-operator.io/v1", kind: "Thing" };
  const metadata = Object.entries({ name: "a", namespace: "team", resourceVersion: "7", uid: "u-1", ...meta });
  const sorted = Object.fromEntries(metadata.toSorted(([left], [right]) => (left < right ? -1 : 1)));
  return JSON.stringify({ type, object: { apiVersion, kind, metadata: sorted, spec } });
}

describe("an event about a version of an object", () => {
  it("that is stored is a bookmark, and its content is not read", () => {
    const event = parseEvent(THING, line({}).replace('"spec":{}', '"spec":{no JSON'), isStored);
    expect(event).toEqual({ type: "bookmark", resourceVersion: "7" });
  });

  const forged = { name: "a", namespace: "team", resourceVersion: "7", uid: "u-1" };

  it.each<[what: string, given: Parameters<typeof line>[0], type: string]>([
    ["that is newer", { meta: { resourceVersion: "8" } }, "put"],
    ["of another object of the name", { meta: { uid: "u-2" } }, "put"],
    ["of another namespace", { meta: { namespace: "other" } }, "put"],
    ["that is stored, and deleted now", { type: "DELETED" }, "deleted"],
    ["that is stored, and listed again", { type: "ADDED" }, "put"],
    ["whose annotations name the stored one", { meta: { annotations: forged, resourceVersion: "8" } }, "put"],
    [
      "whose annotation looks like the end of the stored one",
      { meta: { annotations: { a: line({}) }, resourceVersion: "8" } },
      "put",
    ],
    [
      "whose spec names the stored one",
      { meta: { resourceVersion: "8" }, spec: { any: forged, more: { ...forged, spec: 1 } } },
      "put",
    ],
    ["with an owner", { meta: { ownerReferences: [{ name: "a", uid: "u-1" }] } }, "put"],
  ])("%s is parsed", (_, given, type) => {
    expect(parseEvent(THING, line(given), isStored)).toMatchObject({ type });
  });
});
