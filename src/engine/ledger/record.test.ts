import { describe, expect, it } from "vitest";

import { EXTERNAL_ID, INSTALLATION, SEAL } from "../../api/names.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import { readRecord, recordAnnotations, type RecordTarget } from "./record.ts";

const ports = { installation: "here" } as Ports;
const kept = { written: { names: ["A"] } };

function place(annotations: Readonly<Record<string, string>> = {}): RecordTarget {
  return {
    object: {
      apiVersion: "v1",
      kind: "Widget",
      metadata: { name: "a", namespace: "n", uid: "uid-1", resourceVersion: "1", annotations },
    },
    connection: { token: () => "token" } as Connection,
    recordedIdentity: {
      connectionUid: "c",
      host: "h",
      organizationId: "o",
      installation: "here",
      parentId: "parent-1",
    },
  };
}

describe("a record in annotations", () => {
  it("is read back with what it keeps, for this object, id and parent alone", () => {
    const annotations = recordAnnotations(ports, place(), "id-1", kept);
    expect(Object.keys(annotations)).toEqual([EXTERNAL_ID, SEAL, INSTALLATION]);
    expect(readRecord(place(annotations), "id-1")).toEqual({ kept });
    expect(readRecord(place(annotations), "id-2")).toBeUndefined();
    const moved = { ...place(annotations), recordedIdentity: { ...place().recordedIdentity, parentId: "parent-2" } };
    expect(readRecord(moved, "id-1")).toBeUndefined();
    expect(readRecord(place(recordAnnotations(ports, place(), "id-1")), "id-1")).toEqual({ kept: undefined });
  });

  it("keeps nothing where there is no room, so that the id itself is stored", () => {
    const whole = recordAnnotations(ports, place(), "id-1", kept);
    const room = 256 * 1_024 - Object.entries(whole).flat().join("").length - "other".length;
    const filled = (length: number) => recordAnnotations(ports, place({ other: "x".repeat(length) }), "id-1", kept);
    expect(filled(room)).toEqual(whole);
    expect(filled(room + 1)).toEqual(recordAnnotations(ports, place(), "id-1"));
  });
});
