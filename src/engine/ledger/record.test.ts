import { describe, expect, it } from "vitest";

import { aKey } from "../../../test/support/engine/keys.ts";
import { ACTION_STARTED, EXTERNAL_ID, FINALIZER, INSTALLATION, INTENT, RECORD_SIGNATURE } from "../../api/names.ts";
import type { ExternalLifecycle } from "../../api/resource.ts";
import { KubeError } from "../../kube/api/errors.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import { createIdOwnership } from "../ownership/ids.ts";
import { temporaryKey } from "../ownership/installation-key.ts";
import {
  finalizerDue,
  isStarted,
  keepStarted,
  keepRecord,
  readRecord,
  recordAnnotations,
  recordId,
  type RecordTarget,
} from "./record.ts";

const key = aKey();
const ports = { installation: "here", key } as Ports;
const kept = { written: { names: ["A"] } };

const recordedIdentity = { connectionUid: "c", host: "h", organizationId: "o", installation: "here", parentId: "p-1" };

function place(annotations: Readonly<Record<string, string>> = {}): RecordTarget {
  const metadata = { name: "a", namespace: "n", uid: "uid-1", resourceVersion: "1", annotations };
  const connection = {} as Connection;
  return { object: { apiVersion: "v1", kind: "Widget", metadata }, connection, recordedIdentity };
}

describe("a record in annotations", () => {
  it("is read back with the uid of its resource and what it keeps", () => {
    const annotations = recordAnnotations(ports, place(), "id-1", kept);
    expect(Object.keys(annotations)).toEqual([EXTERNAL_ID, RECORD_SIGNATURE, INSTALLATION]);
    expect(readRecord(key, place(annotations), "id-1")).toEqual({ uid: "uid-1", kept });
  });

  it("is read back without anything kept", () => {
    const annotations = recordAnnotations(ports, place(), "id-1");
    expect(readRecord(key, place(annotations), "id-1")).toEqual({ uid: "uid-1", kept: undefined });
  });

  it("is none where there are no annotations", () => {
    const { annotations: _, ...metadata } = place().object.metadata;
    const bare = { ...place(), object: { ...place().object, metadata } };
    expect(readRecord(key, bare, "id-1")).toBeUndefined();
    expect(isStarted(bare.object)).toBe(false);
  });

  const signed = recordAnnotations(ports, place(), "id-1", kept);
  const [code = "", payload = ""] = signed[RECORD_SIGNATURE]?.split(".") ?? [];
  const bare = recordAnnotations(ports, place(), "id-1")[RECORD_SIGNATURE]?.split(".")[0] ?? "";
  const at = (change: Partial<KubeObject["metadata"]> = {}): RecordTarget => {
    const { object } = place(signed);
    return { ...place(), object: { ...object, metadata: { ...object.metadata, ...change } } };
  };

  it("is valid for another resource of this kind, namespace and name, as a restored one, and names the first", () => {
    expect(readRecord(key, at({ uid: "uid-2" }), "id-1")).toEqual({ uid: "uid-1", kept });
  });

  it.each<[what: string, target: RecordTarget]>([
    ["another namespace", at({ namespace: "other" })],
    ["another name", at({ name: "other" })],
    ["another kind", { ...at(), object: { ...at().object, kind: "Gadget" } }],
    ["another host", { ...at(), recordedIdentity: { ...recordedIdentity, host: "other" } }],
    ["another organization", { ...at(), recordedIdentity: { ...recordedIdentity, organizationId: "other" } }],
    ["another parent", { ...at(), recordedIdentity: { ...recordedIdentity, parentId: "other" } }],
    ["no signature", at({ annotations: { ...signed, [RECORD_SIGNATURE]: "" } })],
    ["a code without its payload", at({ annotations: { ...signed, [RECORD_SIGNATURE]: code } })],
    ["an empty payload", at({ annotations: { ...signed, [RECORD_SIGNATURE]: `${code}.` } })],
    ["a changed payload", at({ annotations: { ...signed, [RECORD_SIGNATURE]: `${code}.${payload}x` } })],
    ["the code of another payload", at({ annotations: { ...signed, [RECORD_SIGNATURE]: `${bare}.${payload}` } })],
  ])("is invalid for %s", (_, target) => {
    expect(readRecord(key, target, "id-1")).toBeUndefined();
  });

  it("is invalid for another object of the platform", () => {
    expect(readRecord(key, at(), "id-2")).toBeUndefined();
  });

  it("is invalid under another key of the installation", () => {
    expect(readRecord(aKey("another"), at(), "id-1")).toBeUndefined();
  });

  it("has no signature while the key is not stored", () => {
    const unsigned = recordAnnotations({ ...ports, key: temporaryKey() }, place(), "id-1", kept);
    expect(unsigned).toEqual({ [EXTERNAL_ID]: "id-1", [INSTALLATION]: "here" });
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
  const status = { externalId: id, writeLedger: { identity: { installation } } };
  const through = { ...connection, settings } as unknown as Connection;
  return { object: { ...object, metadata, status }, connection: through, recordedIdentity };
}

describe("keepRecord", () => {
  const other = { [EXTERNAL_ID]: "id-2" };
  const unsigned = { [RECORD_SIGNATURE]: "" };
  const signed = { annotations: WHOLE };
  const [mine, held] = [{ annotations: { [INSTALLATION]: "here" } }, { finalizers: [FINALIZER] }];
  const bound = recorded().object;
  const metadata = { ...bound.metadata, finalizers: ["other/one", FINALIZER] };
  const retained = { ...recorded(), object: { ...bound, metadata, spec: { lifecycle: { deletionPolicy: "Retain" } } } };

  it.each<[string, RecordTarget, readonly object[]]>([
    ["nothing over a record that is up to date", recorded(), []],
    ["the record over another id", recorded(other), [{ annotations: WHOLE }]],
    ["nothing without an id in the status", recorded(other, { id: "" }), []],
    ["nothing over the record of another installation", recorded(other, { installation: "there" }), []],
    ["nothing where there is no room", recorded({ ...other, note: "x".repeat(256 * 1_024) }), []],
    ["the signature over an invalid one", recorded(unsigned), [signed]],
    ["no finalizer of ours that the policy does not need", retained, [{ finalizers: ["other/one"] }]],
  ])("writes %s", async (_, target, expected) => {
    const { ports, changes } = portsWith();
    await keepRecord(ports, target, { lifecycle: "Managed" });
    expect(changes).toEqual(expected);
  });

  it("writes no signature while the key is not stored", async () => {
    const { ports, changes } = portsWith();
    await keepRecord({ ...ports, key: temporaryKey() }, recorded(unsigned), { lifecycle: "Managed" });
    expect(changes).toEqual([]);
  });

  it("continues without a backup that is refused, and reports any other failure", async () => {
    const failing = (error: KubeError) =>
      keepRecord(portsWith(() => Promise.reject(error)).ports, recorded(other), { lifecycle: "Managed" });
    for (const refusal of [new KubeError("Invalid", 422, "refused"), new KubeError("Forbidden", 403, "refused")])
      await expect(failing(refusal)).resolves.toEqual(recorded(other).object);
    await expect(failing(new KubeError("Conflict", 409, "changed"))).rejects.toThrow("changed");
  });

  it.each<[string, RecordTarget, ExternalLifecycle, readonly object[]]>([
    ["the installation, and the finalizer for what it removes", recorded(), "Fields", [{ ...mine, ...held }]],
    ["the installation alone if its fields stay", recorded(), "LastingFields", [mine]],
    ["nothing while it is deleted", recorded({}, { deleting: true }), "Fields", []],
  ])("writes for a resource that writes into others %s", async (_, target, lifecycle, expected) => {
    const { ports, changes } = portsWith();
    await keepRecord(ports, target, { lifecycle });
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

describe("the started marker", () => {
  /** The object with the marker, as the writer sends it. */
  async function started(): Promise<KubeObject> {
    const { object } = place();
    const { ports, changes } = portsWith();
    await keepStarted({ ports, object });
    expect(changes).toEqual([{ annotations: { [ACTION_STARTED]: "uid-1 n/a", [INSTALLATION]: "here" } }]);
    return { ...object, metadata: { ...object.metadata, annotations: { [ACTION_STARTED]: "uid-1 n/a" } } };
  }

  it.each<[string, Partial<KubeObject["metadata"]>, boolean]>([
    ["the object itself", {}, true],
    ["the object, restored from a backup", { uid: "another" }, true],
    ["no copy of another name", { uid: "another", name: "b" }, false],
    ["no copy in another namespace", { uid: "another", namespace: "other" }, false],
  ])("is that of %s", async (_title, metadata, expected) => {
    const object = await started();
    expect(isStarted({ ...object, metadata: { ...object.metadata, ...metadata } })).toBe(expected);
  });
});

it.each<[title: string, change: Parameters<typeof recorded>[1], isDue: boolean]>([
  ["due while it is not being deleted", {}, true],
  ["not due while it is being deleted", { deleting: true }, false],
])("the finalizer of a recorded object is %s", (_title, change, expected) => {
  expect(finalizerDue(recorded({}, change))).toBe(expected);
});
