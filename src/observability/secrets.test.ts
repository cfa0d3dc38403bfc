import { describe, expect, it } from "vitest";

import { keyValues } from "../../test/support/kube/key-values.ts";
import { stored } from "../../test/support/kube/stored.ts";
import type { EventInput, JsonObject } from "../kube/api/types.ts";
import type { Reader } from "../kube/watch/readers.ts";
import type { Writer } from "../kube/write/writer.ts";
import { createRedactor, redactingEvents, redactingWriter, redactingReader } from "./secrets.ts";

const object = stored("PlatformApplication", "web");

function knowing() {
  const redactor = createRedactor();
  redactor.hold("shop", "values/a", "hush-hush");
  redactor.hold("shop-b", "values/a", "Deployed");
  return redactor;
}

describe("[S1] what the operator writes about an object", () => {
  it("has no value of a Secret of its namespace in any message of the status, and is otherwise unchanged", async () => {
    const written: JsonObject[] = [];
    const patchStatus: Writer["patchStatus"] = async (target, status) => {
      written.push(status);
      return target;
    };
    const writer = redactingWriter({ patchStatus } as Writer, knowing());
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

  it("contains the ids and names in a Secret that the operator wrote for an application", async () => {
    const redactor = createRedactor();
    const read = async (name: string, data: Readonly<Record<string, string>>): Promise<void> => {
      const reader = { secret: () => Promise.resolve(keyValues("1", data)) } as unknown as Reader;
      const secret = await redactingReader(reader, redactor).secret("shop", name, 0);
      for (const key of secret?.keys ?? []) secret?.get(key);
    };
    await read("ours", { id: "an-id-of-ours", environmentId: "e", environment: "staging", password: "hush-hush" });
    await read("theirs", { id: "a-secret-id", environment: "a-secret-place" });
    const text = "an-id-of-ours staging hush-hush, a-secret-id, a-secret-place";
    expect(redactor.redact(text, "shop")).toBe("an-id-of-ours staging [redacted], [redacted], [redacted]");
  });

  it("has no value of a Secret in events", () => {
    const recorded: EventInput[] = [];
    const events = redactingEvents({ record: (event) => recorded.push(event) }, knowing());
    const event = { regarding: object, type: "Warning", reason: "InvalidSpec", action: "Reconcile" } as const;
    events.record({ ...event, note: "hush-hush Deployed" });
    expect(recorded).toEqual([expect.objectContaining({ note: "[redacted] Deployed", reason: "InvalidSpec" })]);
  });
});
