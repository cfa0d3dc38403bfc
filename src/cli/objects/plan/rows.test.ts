import { describe, expect, it } from "vitest";

import type { JsonObject, KubeObject } from "../../../kube/api/types.ts";
import { rowOf } from "./rows.ts";

type Condition = readonly [type: string, status: string, reason: string];

function object(
  conditions: readonly Condition[],
  more: {
    readonly status?: JsonObject;
    readonly metadata?: Partial<KubeObject["metadata"]>;
  } = {},
): KubeObject {
  return {
    apiVersion: "platform-operator.io/v1alpha1",
    kind: "PlatformApplication",
    metadata: { name: "api", namespace: "shop", uid: "1", resourceVersion: "1", generation: 1, ...more.metadata },
    spec: {},
    status: {
      observedGeneration: 1,
      conditions: conditions.map(([type, status, reason]) => ({ type, status, reason, message: `${reason}.` })),
      ...more.status,
    },
  };
}

const ready: readonly Condition[] = [
  ["Ready", "True", "Deployed"],
  ["Synced", "True", "ReconcileSuccess"],
];
const pending: readonly Condition[] = [
  ["Ready", "False", "ApprovalPending"],
  ["Synced", "True", "ReconcileSuccess"],
];
const planned = (...operations: readonly string[]): JsonObject => ({
  plan: { hash: "1", reason: "ApprovalPending", actions: operations.map((operation) => ({ operation })) },
});
const at = (resource: KubeObject, old: KubeObject | undefined = resource) => ({
  object: resource,
  old,
  problem: undefined,
});

describe("a row of a plan", () => {
  it.each<[string, Parameters<typeof rowOf>[0], object]>([
    ["is as the operator has it", at(object(ready)), { action: "none", note: "", is: "none" }],
    ["is created", at(object(pending, { status: planned("createApplication") })), { action: "create", is: "change" }],
    [
      "changes in several ways",
      at(
        object(pending, {
          status: planned("updateApplication", "importVariables", "deployApplication", "createSecret"),
        }),
      ),
      { action: "update, deploy", note: "", is: "change" },
    ],
    [
      "does what nobody has a verb for",
      at(object(pending, { status: planned("sendInvoices") })),
      { action: "sendInvoices" },
    ],
    ["waits for its parent", at(object([["Ready", "False", "ParentNotReady"]])), { action: "create", is: "change" }],
    [
      "has no parent",
      at(object([["Ready", "False", "ParentNotFound"]])),
      { action: "error", note: "ParentNotFound: ParentNotFound.", is: "error" },
    ],
    [
      "needs a person",
      at(object([...pending, ["Stalled", "True", "NameConflict"]])),
      { action: "error", note: "NameConflict: NameConflict." },
    ],
    [
      "could not be read",
      at(
        object([
          ["Ready", "True", "Deployed"],
          ["Synced", "False", "PlatformUnavailable"],
        ]),
      ),
      { action: "error", note: "PlatformUnavailable: PlatformUnavailable." },
    ],
    [
      "has no connection",
      { ...at(object(ready)), problem: { message: "There is none.", cause: "There is none." } },
      { action: "error", note: "There is none." },
    ],
    [
      "is taken over",
      at(object(ready, { status: { externalId: "0a1b" } }), object([])),
      { action: "adopt", note: "0a1b", is: "none" },
    ],
    [
      "is new and taken over",
      { object: object(ready, { status: { externalId: "0a1b" } }), old: undefined, problem: undefined },
      { action: "adopt" },
    ],
    [
      "is under way",
      at(
        object([
          ["Ready", "False", "Deploying"],
          ["Synced", "True", "ReconcileSuccess"],
        ]),
      ),
      { action: "none", note: "Deploying: Deploying." },
    ],
    [
      "differs, and the policies leave it so",
      at(object(ready, { status: { drift: { fields: [{ path: "spec.cpu", desired: "1", observed: "2" }] } } })),
      { action: "none", note: "differences on the platform are not corrected" },
    ],
    [
      "is paused",
      at(object(ready, { metadata: { annotations: { "platform-operator.io/paused": "true" } } })),
      { action: "none", note: "it is paused" },
    ],
    [
      "is going",
      at(object(ready, { metadata: { deletionTimestamp: "2026-11-21T12:00:00Z" } })),
      { action: "none", note: "it is being deleted" },
    ],
  ])("tells what %s", (_what, given, row) => {
    expect(rowOf(given)).toMatchObject({ kind: "PlatformApplication", namespace: "shop", name: "api", ...row });
  });
});
