import { describe, expect, it } from "vitest";

import { BACKUP_SIGNATURE, EXTERNAL_ID, INSTALLATION, SEAL } from "../../api/names.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import { isBackup, readRecord, recordAnnotations, type RecordTarget } from "./record.ts";

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
    expect(Object.keys(annotations)).toEqual([EXTERNAL_ID, SEAL, BACKUP_SIGNATURE, INSTALLATION]);
    expect(readRecord(place(annotations), "id-1")).toEqual({ kept });
    expect(readRecord(place(annotations), "id-2")).toBeUndefined();
    const moved = { ...place(annotations), recordedIdentity: { ...place().recordedIdentity, parentId: "parent-2" } };
    expect(readRecord(moved, "id-1")).toBeUndefined();
    expect(readRecord(place(recordAnnotations(ports, place(), "id-1")), "id-1")).toEqual({ kept: undefined });
  });

  it("is valid for another resource of this kind, namespace and name, as a restored one", () => {
    const annotations = recordAnnotations(ports, place(), "id-1", kept);
    const at = (change: Partial<KubeObject["metadata"]> = {}, from = place(annotations)): RecordTarget => {
      const { object } = from;
      return { ...from, object: { ...object, metadata: { ...object.metadata, uid: "uid-2", ...change } } };
    };
    expect(readRecord(at(), "id-1")).toBeUndefined();
    expect(isBackup(at(), "id-1")).toBe(true);
    expect(isBackup(at(), "id-2")).toBe(false);
    const { recordedIdentity } = place();
    const others: readonly RecordTarget[] = [
      at({ namespace: "other" }),
      at({ name: "other" }),
      at({ annotations: { ...annotations, [INSTALLATION]: "there" } }),
      at({ annotations: { ...annotations, [BACKUP_SIGNATURE]: "" } }),
      { ...at(), object: { ...at().object, kind: "Gadget" } },
      ...["host", "organizationId", "parentId"].map((member) => ({
        ...at(),
        recordedIdentity: { ...recordedIdentity, [member]: "other" },
      })),
      { ...at(), connection: { token: () => "rotated" } as Connection },
    ];
    expect(others.map((one) => isBackup(one, "id-1"))).toEqual(others.map(() => false));
    // Anyone without the token can sign with an empty one.
    const unsigned = { ...place(), connection: { token: () => "" } as Connection };
    const forged = { ...place(recordAnnotations(ports, unsigned, "id-1")), connection: unsigned.connection };
    expect(isBackup(forged, "id-1")).toBe(false);
  });

  it("keeps nothing where there is no room, so that the id itself is stored", () => {
    const whole = recordAnnotations(ports, place(), "id-1", kept);
    const room = 256 * 1_024 - Object.entries(whole).flat().join("").length - "other".length;
    const filled = (length: number) => recordAnnotations(ports, place({ other: "x".repeat(length) }), "id-1", kept);
    expect(filled(room)).toEqual(whole);
    expect(filled(room + 1)).toEqual(recordAnnotations(ports, place(), "id-1"));
  });
});
