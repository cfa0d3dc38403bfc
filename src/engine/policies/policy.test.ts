import { expect, it } from "vitest";
import { z } from "zod";

import { anObject } from "../../../test/support/engine/objects.ts";
import { RECONCILE_REQUESTED_AT, REDEPLOY_REQUESTED_AT } from "../../api/names.ts";
import type { Json, JsonObject } from "../../kube/api/types.ts";
import {
  adoptionPolicy,
  forbidsWrites,
  invalidSpec,
  NO_DEFAULTS,
  type Policies,
  policiesOf,
  redeployToken,
  requestedToken,
} from "./policy.ts";

const FLUX = "reconcile.fluxcd.io/requestedAt";

it.each<[Readonly<Record<string, string>> | undefined, string | undefined, string | undefined]>([
  [undefined, undefined, undefined],
  [{ [RECONCILE_REQUESTED_AT]: "1" }, undefined, "1"],
  [{ [RECONCILE_REQUESTED_AT]: "1" }, "1", undefined],
  [{ [RECONCILE_REQUESTED_AT]: "2" }, "1", "2"],
  [{ [FLUX]: "1" }, undefined, "1"],
  [{ [FLUX]: "1" }, "1", undefined],
  [{ [RECONCILE_REQUESTED_AT]: "1", [FLUX]: "2" }, undefined, "1"],
  [{ [RECONCILE_REQUESTED_AT]: "1", [FLUX]: "2" }, "1", undefined],
])(
  "the annotations %o, after the request %s was handled, request %s",
  (annotations, lastHandledReconcileAt, expected) => {
    const meta = annotations === undefined ? {} : { annotations };
    expect(requestedToken(anObject({ meta, status: { lastHandledReconcileAt } }))).toBe(expected);
  },
);

it.each<[what: string, annotation: string | undefined, status: JsonObject, expected: string | undefined]>([
  ["without a request", undefined, { externalId: "id" }, undefined],
  ["once for its value", "1", { externalId: "id" }, "1"],
  ["not again for that value", "1", { externalId: "id", lastHandledRedeployAt: "1" }, undefined],
  ["for another value", "2", { externalId: "id", lastHandledRedeployAt: "1" }, "2"],
  ["not while no object is recorded", "1", {}, undefined],
])("an object is deployed again %s", (_what, annotation, status, expected) => {
  const meta = annotation === undefined ? {} : { annotations: { [REDEPLOY_REQUESTED_AT]: annotation } };
  expect(redeployToken(anObject({ meta, status }))).toBe(expected);
});

it.each<[Policies["management"], number | undefined, boolean]>([
  ["Manage", 1, false],
  ["ObserveOnly", undefined, true],
  ["CreateOnly", undefined, false],
  ["CreateOnly", 1, true],
])("%s forbids writes where generation %s was applied: %s", (management, appliedGeneration, expected) => {
  expect(forbidsWrites({ management }, appliedGeneration)).toBe(expected);
});

it.each<[Json | undefined, boolean, boolean, string]>([
  [undefined, true, true, "IfUniqueName"],
  [undefined, true, false, "Never"],
  [undefined, false, true, "Never"],
  ["Never", true, true, "Never"],
  ["Required", false, false, "Required"],
  ["IfUniqueName", false, false, "IfUniqueName"],
  ["else", true, true, "IfUniqueName"],
])(
  "adoptionPolicy %s where a list shows the names (%s) and a resource stands for the parent (%s) means %s",
  (adoption, listable, parentManagedHere, expected) => {
    const object = anObject({ spec: { lifecycle: { adoptionPolicy: adoption } } });
    const { adoption: said } = policiesOf(object, NO_DEFAULTS);
    expect(adoptionPolicy(said, { listable, parentManagedHere })).toBe(expected);
  },
);

it.each<[Json | undefined, string]>([
  [undefined, "Retain"],
  [{}, "Retain"],
  [{ lifecycle: "x" }, "Retain"],
  [{ lifecycle: { deletionPolicy: "delete" } }, "Retain"],
  [{ lifecycle: { deletionPolicy: "Retain" } }, "Retain"],
  [{ lifecycle: { deletionPolicy: "Delete" } }, "Delete"],
  [{ lifecycle: { deletionPolicy: "Stop" } }, "Stop"],
])("the deletion policy of %j is %s: an unclear value deletes nothing", (spec, expected) => {
  expect(policiesOf({ ...anObject(), spec }, NO_DEFAULTS).deletion).toBe(expected);
});

it.each<[lifecycle: JsonObject, policies: Partial<Policies>]>([
  [{}, { management: "Manage", onMissing: "Fail", corrects: "Settings", manual: false, retry: undefined }],
  [
    { onMissing: "Recreate", driftPolicy: "Correct" },
    { onMissing: "Recreate", corrects: "Everything" },
  ],
  [{ driftPolicy: "Report" }, { corrects: "Nothing" }],
  [
    { managementPolicy: "CreateOnly", onMissing: "Recreate", driftPolicy: "Correct", deletionPolicy: "Delete" },
    { onMissing: "Fail", corrects: "Nothing", deletion: "Delete" },
  ],
  [
    { managementPolicy: "ObserveOnly", onMissing: "Recreate", driftPolicy: "Correct", deletionPolicy: "Delete" },
    { onMissing: "Fail", corrects: "Nothing", deletion: "Retain" },
  ],
  [{ retry: { limit: 2, backoff: "1m" } }, { retry: { limit: 2, backoffMs: 60_000 } }],
  [{ retry: { limit: 2 } }, { retry: { limit: 2, backoffMs: 300_000 } }],
])("spec.lifecycle %j means %j", (lifecycle, policies) => {
  expect(policiesOf(anObject({ spec: { lifecycle } }), NO_DEFAULTS)).toMatchObject(policies);
});

it.each<[applyPolicy: Json | undefined, byDefault: boolean, manual: boolean]>([
  [undefined, false, false],
  [undefined, true, true],
  ["Automatic", true, false],
  ["Manual", false, true],
])(
  "applyPolicy %s, where the kind's steps wait by default: %s, makes them wait: %s",
  (applyPolicy, byDefault, manual) => {
    const object = anObject({ spec: { lifecycle: { applyPolicy } } });
    expect(policiesOf(object, NO_DEFAULTS, byDefault).manual).toBe(manual);
  },
);

const schema = z.strictObject(Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [name, z.int()])));

it("invalidSpec names at most five fields, and quotes no value", () => {
  const parsed = schema.safeParse({ a: "hidden", b: 1 });
  const { reason, message } = invalidSpec(parsed.error ?? new z.ZodError([]));
  expect(reason).toBe("InvalidSpec");
  expect(message).toMatch(/^spec\.a: .*; spec\.c: .*; spec\.f: .*\.$/);
  expect(message).not.toContain("hidden");
  expect(message.split("; ")).toHaveLength(5);
  expect(message).not.toContain("more");
  const all = invalidSpec(schema.safeParse({}).error ?? new z.ZodError([])).message;
  expect(all.split("; ")).toHaveLength(5);
  expect(all).toContain("(and 1 more).");
});
