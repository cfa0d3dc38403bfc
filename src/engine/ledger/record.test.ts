import { describe, expect, it } from "vitest";

import { BACKUP_SIGNATURE, EXTERNAL_ID, FINALIZER, INSTALLATION, INTENT, RESOLVE, SEAL } from "../../api/names.ts";
import { KubeError } from "../../kube/api/errors.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import type { ExternalLifecycle } from "../contract/kind.ts";
import { createIdOwnership } from "../ownership/ids.ts";
import {
  finalizerDue,
  isBackup,
  isStarted,
  keepRecord,
  readRecord,
  recordAnnotations,
  recordId,
  type RecordTarget,
} from "./record.ts";

const ports = { installation: "here" } as Ports;
const kept = { written: { names: ["A"] } };

const recordedIdentity = { connectionUid: "c", host: "h", organizationId: "o", installation: "here", parentId: "p-1" };

function place(annotations: Readonly<Record<string, string>> = {}): RecordTarget {
  const metadata = { name: "a", namespace: "n", uid: "uid-1", resourceVersion: "1", annotations };
  const connection = { token: () => "token" } as Connection;
  return { object: { apiVersion: "v1", kind: "Widget", metadata }, connection, recordedIdentity };
}

describe("a record in annotations", () => {
  it("is read back with what it keeps, for this object, id and parent alone", () => {
    const annotations = recordAnnotations(ports, place(), "id-1", kept);
    expect(Object.keys(annotations)).toEqual([EXTERNAL_ID, SEAL, BACKUP_SIGNATURE, INSTALLATION]);
    expect(readRecord(place(annotations), "id-1")).toEqual({ kept });
    expect(readRecord(place(annotations), "id-2")).toBeUndefined();
    const moved = { ...place(annotations), recordedIdentity: { ...recordedIdentity, parentId: "p-2" } };
    expect(readRecord(moved, "id-1")).toBeUndefined();
    expect(readRecord(place(recordAnnotations(ports, place(), "id-1")), "id-1")).toEqual({ kept: undefined });
  });

  it("is none where there are no annotations", () => {
    const { annotations: _, ...metadata } = place().object.metadata;
    const bare = { ...place(), object: { ...place().object, metadata } };
    const found = [readRecord(bare, "id-1"), isBackup(bare, "id-1"), isStarted(bare.object)];
    expect(found).toEqual([undefined, false, false]);
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

/** Ports whose writer records each change and answers with the object, or as `answer` says. */
function portsWith(answer = (object: KubeObject): Promise<KubeObject | undefined> => Promise.resolve(object)) {
  const changes: object[] = [];
  const write = (object: KubeObject, change: object) => {
    changes.push(change);
    return answer(object);
  };
  const idOwnership = createIdOwnership();
  const writer = { patchChecked: write, storeOutcome: write };
  return { changes, idOwnership, ports: { ...ports, writer, idOwnership } as unknown as Ports };
}

const WHOLE = recordAnnotations(ports, place(), "id-1");

/** An object of this installation with a whole record, and with changes of that. */
function recorded(
  annotations: Readonly<Record<string, string>> = {},
  more: { readonly id?: string; readonly installation?: string; readonly deleting?: boolean } = {},
): RecordTarget {
  const { object, connection } = place({ ...WHOLE, ...annotations });
  const { id = "id-1", installation = "here", deleting = false } = more;
  const deletion = deleting ? { deletionTimestamp: "2026-11-26T00:00:00Z" } : {};
  const settings = { defaults: { lifecycle: { deletionPolicy: "Delete" } } };
  const metadata = { ...object.metadata, ...deletion, finalizers: [FINALIZER] };
  const status = { externalId: id, identity: { installation } };
  const through = { ...connection, settings } as unknown as Connection;
  return { object: { ...object, metadata, status }, connection: through, recordedIdentity };
}

describe("keepRecord", () => {
  const other = { [EXTERNAL_ID]: "id-2" };
  const unsigned = { [BACKUP_SIGNATURE]: "" };
  const signed = { annotations: { [BACKUP_SIGNATURE]: WHOLE[BACKUP_SIGNATURE] } };
  const [mine, held] = [{ annotations: { [INSTALLATION]: "here" } }, { finalizers: [FINALIZER] }];
  const answered = { annotations: { ...mine.annotations, [RESOLVE]: null } };
  const bound = recorded().object;
  const metadata = { ...bound.metadata, finalizers: ["other/one", FINALIZER] };
  const retained = { ...recorded(), object: { ...bound, metadata, spec: { lifecycle: { deletionPolicy: "Retain" } } } };
  const withoutToken = { ...recorded(unsigned), connection: { ...recorded().connection, token: () => "" } };

  it.each<[string, RecordTarget, readonly object[]]>([
    ["nothing over a record that is up to date", recorded(), []],
    ["the record over another id", recorded(other), [{ annotations: WHOLE }]],
    ["nothing without an id in the status", recorded(other, { id: "" }), []],
    ["nothing over the record of another installation", recorded(other, { installation: "there" }), []],
    ["nothing where there is no room", recorded({ ...other, note: "x".repeat(256 * 1_024) }), []],
    ["the signature over an invalid one", recorded(unsigned), [signed]],
    ["no finalizer of ours that the policy does not need", retained, [{ finalizers: ["other/one"] }]],
    ["no signature without a token", withoutToken, []],
  ])("writes %s", async (_, target, expected) => {
    const { ports, changes } = portsWith();
    await keepRecord(ports, target, true);
    expect(changes).toEqual(expected);
  });

  it("continues without a backup that is refused, and reports any other failure", async () => {
    const failing = (error: KubeError) =>
      keepRecord(portsWith(() => Promise.reject(error)).ports, recorded(other), true);
    for (const refusal of [new KubeError("Invalid", 422, "refused"), new KubeError("Forbidden", 403, "refused")])
      await expect(failing(refusal)).resolves.toEqual(recorded(other).object);
    await expect(failing(new KubeError("Conflict", 409, "changed"))).rejects.toThrow("changed");
  });

  it.each<[string, RecordTarget, ExternalLifecycle, readonly object[]]>([
    ["the installation, and the finalizer for what it removes", recorded(), "InOthers", [{ ...mine, ...held }]],
    ["the installation alone if its fields stay", recorded(), "Stays", [mine]],
    ["no answer that was used", recorded({ [RESOLVE]: "adopt" }), "Stays", [answered]],
    ["nothing while it is deleted", recorded({}, { deleting: true }), "InOthers", []],
  ])("writes for a resource that writes into others %s", async (_, target, lifecycle, expected) => {
    const { ports, changes } = portsWith();
    await keepRecord(ports, target, lifecycle);
    expect(changes).toEqual(expected);
  });
});

describe("recordId", () => {
  it.each<[string, Readonly<Record<string, string>>, readonly object[]]>([
    ["nothing if it is stored", {}, []],
    ["it over another id", { [EXTERNAL_ID]: "id-2" }, [WHOLE]],
    ["it over the record of another installation", { [INSTALLATION]: "there" }, [WHOLE]],
    ["it and clears the intent", { [INTENT]: "{}" }, [{ ...WHOLE, [INTENT]: null }]],
  ])("stores %s", async (_, annotations, expected) => {
    const { ports, changes } = portsWith();
    await recordId(ports, recorded(annotations), "id-1");
    expect(changes).toEqual(expected);
  });

  it("reserves the id before it stores it", async () => {
    const target = recorded({ [EXTERNAL_ID]: "id-2" });
    const twin = { ...target.object, metadata: { ...target.object.metadata, name: "b", uid: "uid-2" }, status: {} };
    const holders: unknown[] = [];
    const { ports, idOwnership } = portsWith((object) => {
      holders.push(idOwnership.holder("id-1", twin, target.recordedIdentity));
      return Promise.resolve(object);
    });
    await recordId(ports, target, "id-1");
    expect(holders).toEqual(["n/a"]);
  });

  it("ends the reconcile if the status was written meanwhile, but not if the object is gone", async () => {
    const storing = (answer: (object: KubeObject) => KubeObject | undefined) => {
      const { ports } = portsWith((object) => Promise.resolve(answer(object)));
      return recordId(ports, recorded({ [EXTERNAL_ID]: "id-2" }), "id-1");
    };
    await expect(storing((object) => ({ ...object, status: {} }))).rejects.toMatchObject({ failure: "Conflict" });
    expect(await storing(() => undefined)).toBeUndefined();
  });
});

it("finalizerDue is false once the object is deleted", () => {
  expect([recorded(), recorded({}, { deleting: true })].map(finalizerDue)).toEqual([true, false]);
});
