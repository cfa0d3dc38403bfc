import { describe, expect, it } from "vitest";

import { uuid } from "../../../test/support/engine/fake-platform.ts";
import { anObject } from "../../../test/support/engine/objects.ts";
import { EXTERNAL_ID, INSTALLATION, INTENT, RESOLVE } from "../../api/names.ts";
import type { Json, KubeObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import { checkInstallation, identify, identityMismatch } from "./record.ts";

const [A, B, C] = [uuid(1), uuid(2), uuid(3)];

describe("the identity of a resource", () => {
  it.each<[string, Json | undefined, Json | undefined, string | undefined, unknown]>([
    ["is none without a status, a spec and an annotation", undefined, undefined, undefined, { is: "none" }],
    ["is that of the status", A, undefined, undefined, { is: "known", id: A, identitySource: "recorded" }],
    [
      "is that of the status, not of the annotation",
      A,
      undefined,
      B,
      { is: "known", id: A, identitySource: "recorded" },
    ],
    ["is that of the status where the spec confirms it", A, A, B, { is: "known", id: A, identitySource: "recorded" }],
    [
      "is that of the spec where there is no status",
      undefined,
      B,
      undefined,
      { is: "known", id: B, identitySource: "given" },
    ],
    ["is that of the spec, not of the annotation", undefined, B, C, { is: "known", id: B, identitySource: "given" }],
    [
      "is the claim of the annotation where there is nothing else",
      undefined,
      undefined,
      C,
      { is: "known", id: C, identitySource: "claimed" },
    ],
    ["is none where the annotation is no id", undefined, undefined, "../../x", { is: "none" }],
    ["is none where the annotation is empty", undefined, undefined, "", { is: "none" }],
    [
      "is the claim of the annotation where the status is empty",
      "",
      undefined,
      C,
      { is: "known", id: C, identitySource: "claimed" },
    ],
    ["is none where the status is of another type", 7, undefined, undefined, { is: "none" }],
  ])("%s", (_, recorded, given, claimed, expected) => {
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

describe("the place of a recorded object", () => {
  const now = { connectionUid: "c", host: "h", organizationId: "o", parentId: "p", installation: "i" };
  const pinned = (identity: Json | undefined): KubeObject => anObject({ status: { writeLedger: { identity } } });

  it.each<[string, Json | undefined, string | undefined]>([
    ["is no other where none is recorded", undefined, undefined],
    ["is no other where all is the same", { ...now }, undefined],
    ["is no other where the connection was created again", { ...now, connectionUid: "other" }, undefined],
    ["is another on another host", { ...now, host: "x" }, "ConnectionChanged"],
    ["is another in another organization", { ...now, organizationId: "x" }, "ConnectionChanged"],
    ["is another under another parent", { ...now, parentId: "x" }, "ParentChanged"],
    ["is no other where no parent is recorded", { ...now, parentId: undefined }, undefined],
    ["is no other where the record makes no sense", "x", undefined],
  ])("%s", (_, identity, reason) => {
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

describe("an object of two installations", () => {
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
    ["is ours where nothing is recorded", undefined, {}, undefined],
    ["is ours by our status", "ours", {}, undefined],
    ["is theirs by their status", "theirs", {}, "ForeignLedger"],
    ["is ours by our status, although the annotation is theirs", "ours", { [INSTALLATION]: "theirs" }, undefined],
    ["is theirs by the annotation alone", undefined, { [INSTALLATION]: "theirs" }, "ForeignLedger"],
    ["is ours by our intent", undefined, { [INTENT]: intent("ours") }, undefined],
    ["is theirs by their intent alone", undefined, { [INTENT]: intent("theirs") }, "ForeignLedger"],
    ["is ours by our status, although the intent is theirs", "ours", { [INTENT]: intent("theirs") }, undefined],
    ["is ours where the intent cannot be read", undefined, { [INTENT]: "{" }, undefined],
    ["is ours once a person answers adopt:theirs", "theirs", { [RESOLVE]: "adopt:theirs" }, undefined],
    ["is theirs where a person adopts another installation", "theirs", { [RESOLVE]: "adopt:others" }, "ForeignLedger"],
    ["is theirs where the answer is to another question", "theirs", { [RESOLVE]: "recreate:theirs" }, "ForeignLedger"],
  ])("%s", (_, installation, annotations, expected) => {
    expect(
      refusalOf(anObject({ status: { writeLedger: { identity: { installation } } }, meta: { annotations } })),
    ).toBe(expected);
  });

  it("is ours once the connection has the answer adopt:theirs, and theirs without a connection", () => {
    const object = anObject({ status: { writeLedger: { identity: { installation: "theirs" } } } });
    expect(refusalOf(object, moved)).toBeUndefined();
    expect(refusalOf(object, null)).toBe("ForeignLedger");
  });
});
