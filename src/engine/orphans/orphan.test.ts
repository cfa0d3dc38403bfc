import { describe, expect, it } from "vitest";

import { aKey } from "../../../test/support/engine/keys.ts";
import { ID, orphan } from "../../../test/support/platform/orphans.ts";
import { temporaryKey } from "../ownership/installation-key.ts";
import { isSigned, orphanKeyText, readOrphan, writeOrphan, type Orphan } from "./orphan.ts";

const OTHER = ID.replace("7b0c", "8b0c");

describe("[S4] an entry of the orphan ledger", () => {
  it("is read as it was written, its signature with it", () => {
    const entry = orphan({ parentId: OTHER, memory: { written: { settings: { "spec.name": '"pr-7"' } } } });
    const read = readOrphan(writeOrphan(entry));
    expect(read).toEqual(entry);
    expect(isSigned(entry, aKey())).toBe(true);
    expect(read !== undefined && isSigned(read, aKey())).toBe(true);
  });

  it.each<[what: string, change: Partial<Orphan>]>([
    ["another object", { id: OTHER }],
    ["another namespace", { namespace: "other" }],
    ["another uid of the namespace", { namespaceUid: "uid-other" }],
    ["another parent", { parentId: OTHER }],
    ["another name", { name: "pr-8" }],
    ["another name on the platform", { externalName: "pr-8" }],
    ["another organization", { organizationId: OTHER }],
    ["another host", { host: "other.example" }],
    ["another installation", { installation: "other" }],
    ["another kind", { kind: "PlatformApplication" }],
    ["another memory", { memory: { lastDeployment: { gitCommitId: "f00" } } }],
  ])("whose signature is put under %s is not signed", (_, change) => {
    const { signature } = orphan();
    expect(isSigned({ ...orphan(), ...change, signature }, aKey())).toBe(false);
  });

  it("is not signed under another key", () => {
    expect(isSigned(orphan(), aKey("another"))).toBe(false);
  });

  it("has no signature while the key is not stored", () => {
    const key = temporaryKey();
    expect(orphan({}, key).signature).toBe("");
    expect(isSigned(orphan({}, key), key)).toBe(false);
  });

  it.each<[what: string, text: string]>([
    ["no JSON", "{"],
    ["no object", "7"],
    ["another version", JSON.stringify({ ...orphan(), v: 2 })],
    ["an id that is none", JSON.stringify({ ...orphan(), id: "../x" })],
    ["a time that is none", JSON.stringify({ ...orphan(), at: "yesterday" })],
    ["a kind that is none", JSON.stringify({ ...orphan(), kind: "x y" })],
  ])("of %s is none", (_, text) => {
    expect(readOrphan(text)).toBeUndefined();
  });

  it("belongs to one resource alone", () => {
    const changes = [{}, { namespace: "other" }, { parentId: OTHER }, { externalName: "x" }];
    const keys = changes.map((change) => orphanKeyText(orphan(change)));
    expect(new Set(keys).size).toBe(4);
    expect(orphanKeyText(orphan({ id: OTHER, at: "2026-11-22T10:00:00.000Z", namespaceUid: "x" }))).toBe(keys[0]);
  });
});
