import { expect, it } from "vitest";
import { z } from "zod";

import { anObject } from "../../../test/support/engine/objects.ts";
import type { Json } from "../../kube/api/types.ts";
import type { Kind } from "../contract/kind.ts";
import { isOvertaken, LocalState } from "./local-state.ts";

const kind = { resource: { memory: z.object({ deployed: z.string().optional() }) } };
const over = { externalId: "id", deployed: "c1", state: "READY" };

it.each<[what: string, status: Json, overtaken: boolean]>([
  ["the same status", over, false],
  ["another state", { ...over, state: "BUSY" }, false],
  ["another id", { ...over, externalId: "other" }, true],
  ["an intent", { ...over, intent: { v: 1 } }, true],
  ["another memory", { ...over, deployed: "c2" }, true],
])("what is not stored yet is overtaken by a status with %s: %#", (_, status, overtaken) => {
  const local = Object.assign(new LocalState("uid-a", 0), { unsaved: { over } });
  expect(isOvertaken(kind as unknown as Kind, anObject({ status }), local)).toBe(overtaken);
});
