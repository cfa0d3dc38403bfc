import { describe, expect, it } from "vitest";

import { uuid } from "../../../test/support/engine/fake-platform.ts";
import { anObject } from "../../../test/support/engine/objects.ts";
import { EXTERNAL_ID, INSTALLATION, INTENT, RESOLVE } from "../../api/names.ts";
import type { Json, KubeObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import { checkInstallation, identify, identityMismatch } from "./record.ts";

const [A, B, C] = [uuid(1), uuid(2), uuid(3)];

describe("identify", () => {
  it.each<[string, Json | undefined, Json | undefined, string | undefined, unknown]>([
    ["nothing", undefined, undefined, undefined, { is: "none" }],
    ["a status", A, undefined, undefined, { is: "known", id: A, identitySource: "recorded" }],
    ["a status over an annotation", A, undefined, B, { is: "known", id: A, identitySource: "recorded" }],
    ["a status that the spec confirms", A, A, B, { is: "known", id: A, identitySource: "recorded" }],
    ["a spec", undefined, B, undefined, { is: "known", id: B, identitySource: "given" }],
    ["a spec over an annotation", undefined, B, C, { is: "known", id: B, identitySource: "given" }],
    ["an annotation", undefined, undefined, C, { is: "known", id: C, identitySource: "claimed" }],
    ["an annotation that is no id", undefined, undefined, "../../x", { is: "none" }],
    ["an empty annotation", undefined, undefined, "", { is: "none" }],
    ["an empty status", "", undefined, C, { is: "known", id: C, identitySource: "claimed" }],
    ["a status of another type", 7, undefined, undefined, { is: "none" }],
  ])("by %s", (_, recorded, given, claimed, expected) => {
    const meta = claimed === undefined ? {} : { annotations: { [EXTERNAL_ID]: claimed } };
    const object = anObject({ status: { externalId: recorded }, spec: { externalId: given }, meta });
    expect(identify(object)).toEqual(expected);
  });

  it("refuses a spec that contradicts the status", () => {
    const identity = identify(anObject({ status: { externalId: A }, spec: { externalId: B } }));
    expect(identity).toMatchObject({ is: "refused", why: { reason: "InvalidSpec" } });
  });
});

it("a resource that is being deleted is identified by its record, whatever its spec says now", () => {
  const meta = { deletionTimestamp: "2026-11-21T09:00:00Z" };
  const object = anObject({ status: { externalId: A }, spec: { externalId: B }, meta });
  expect(identify(object)).toEqual({ is: "known", id: A, identitySource: "recorded" });
});

describe("identityMismatch", () => {
  const now = { connectionUid: "c", host: "h", organizationId: "o", parentId: "p", installation: "i" };
  const pinned = (identity: Json | undefined): KubeObject => anObject({ status: { identity } });

  it.each<[string, Json | undefined, string | undefined]>([
    ["nothing pinned", undefined, undefined],
    ["the same", { ...now }, undefined],
    ["a connection that was re-created", { ...now, connectionUid: "other" }, undefined],
    ["another host", { ...now, host: "x" }, "ConnectionChanged"],
    ["another organization", { ...now, organizationId: "x" }, "ConnectionChanged"],
    ["another parent", { ...now, parentId: "x" }, "ParentChanged"],
    ["no parent", { ...now, parentId: undefined }, undefined],
    ["odd pins", "x", undefined],
  ])("with %s", (_, identity, reason) => {
    expect(identityMismatch(pinned(identity), now)?.reason).toBe(reason);
  });

  it.each([
    ["both", { ...now, host: "x" }, "on x, organization o; its connection now leads to h, organization o."],
    ["a host alone", { host: "x" }, "on x, organization unknown; its"],
    ["an organization alone", { organizationId: "x" }, "on another host, organization x; its"],
  ])("names what was recorded: %s", (_, identity, message) => {
    expect(identityMismatch(pinned(identity), now)?.message).toContain(message);
  });

  it("is none where the parent is not known now", () => {
    const { parentId: _, ...rest } = now;
    expect(identityMismatch(pinned({ ...now }), rest)).toBeUndefined();
  });
});

describe("checkInstallation", () => {
  const connection = anObject({ meta: { name: "default" } });
  const moved = anObject({ meta: { annotations: { [RESOLVE]: "adopt:theirs" } } });
  const refusalOf = (object: KubeObject, through: KubeObject | null = connection): string | undefined => {
    const route = () => ({ is: "found", key: { kind: "Link", namespace: "team", name: "default" } });
    const cache = { get: () => through ?? undefined, list: () => [] };
    return checkInstallation({ installation: "ours", route, cache } as unknown as Ports, object)?.reason;
  };
  const intent = (installation: string): string =>
    JSON.stringify({
      v: 1,
      uid: "u",
      resource: "Widget/n/a",
      installation,
      attempt: "a",
      op: "o",
      creates: true,
      generation: 1,
      mark: null,
    });

  it.each<[string, Json | undefined, Readonly<Record<string, string>>, string | undefined]>([
    ["nothing", undefined, {}, undefined],
    ["our status", "ours", {}, undefined],
    ["their status", "theirs", {}, "ForeignLedger"],
    ["our status over their annotation", "ours", { [INSTALLATION]: "theirs" }, undefined],
    ["their annotation alone", undefined, { [INSTALLATION]: "theirs" }, "ForeignLedger"],
    ["our intent", undefined, { [INTENT]: intent("ours") }, undefined],
    ["their intent alone", undefined, { [INTENT]: intent("theirs") }, "ForeignLedger"],
    ["their intent over what is ours", "ours", { [INTENT]: intent("theirs") }, undefined],
    ["an intent that cannot be read", undefined, { [INTENT]: "{" }, undefined],
    ["their status, adopted", "theirs", { [RESOLVE]: "adopt:theirs" }, undefined],
    ["their status, another installation adopted", "theirs", { [RESOLVE]: "adopt:others" }, "ForeignLedger"],
    ["their status, another value", "theirs", { [RESOLVE]: "recreate:theirs" }, "ForeignLedger"],
  ])("by %s", (_, installation, annotations, expected) => {
    expect(refusalOf(anObject({ status: { identity: { installation } }, meta: { annotations } }))).toBe(expected);
  });

  it("returns nothing once the connection answers adopt:theirs, and the reason without a connection", () => {
    const object = anObject({ status: { identity: { installation: "theirs" } } });
    expect(refusalOf(object, moved)).toBeUndefined();
    expect(refusalOf(object, null)).toBe("ForeignLedger");
  });
});
