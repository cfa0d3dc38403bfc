import { describe, expect, it } from "vitest";

import type { EventInput, JsonObject, KubeObject } from "../kube/api/types.ts";
import type { Writer } from "../kube/write/writer.ts";
import { createRedactor, discreetEvents, discreetWriter } from "./secrets.ts";

const object: KubeObject = {
  apiVersion: "platform-operator.io/v1alpha1",
  kind: "PlatformApplication",
  metadata: { name: "web", namespace: "shop", uid: "u", resourceVersion: "1" },
};

function knowing() {
  const redactor = createRedactor();
  redactor.hold("Secret/shop/values", ["hush-hush"]);
  redactor.hold("Secret/shop-b/values", ["Deployed"]);
  return redactor;
}

describe("[S1] what the operator tells of an object", () => {
  it("holds no value of a Secret of its namespace, in messages at any depth, and nothing else is touched", async () => {
    const written: JsonObject[] = [];
    const patchStatus: Writer["patchStatus"] = async (told, status) => {
      written.push(status);
      return told;
    };
    const writer = discreetWriter({ patchStatus } as Writer, knowing());
    await writer.patchStatus(object, {
      conditions: [{ type: "Ready", reason: "hush-hush", message: 'rejects "hush-hush". Deployed.' }],
      lastFailure: { message: "hush-hush", at: null },
      message: { text: "hush-hush" },
      externalId: "hush-hush",
    });
    expect(written).toEqual([
      {
        conditions: [{ type: "Ready", reason: "hush-hush", message: 'rejects "[redacted]". Deployed.' }],
        lastFailure: { message: "[redacted]", at: null },
        message: { text: "hush-hush" },
        externalId: "hush-hush",
      },
    ]);
  });

  it("is the same in events", () => {
    const told: EventInput[] = [];
    const events = discreetEvents({ record: (event) => told.push(event) }, knowing());
    events.record({
      regarding: object,
      type: "Warning",
      reason: "InvalidSpec",
      action: "Reconcile",
      note: "hush-hush Deployed",
    });
    expect(told).toEqual([expect.objectContaining({ note: "[redacted] Deployed", reason: "InvalidSpec" })]);
  });
});
