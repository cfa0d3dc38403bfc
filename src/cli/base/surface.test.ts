import { expect, it } from "vitest";

import { stored } from "../../../test/support/kube/stored.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import type { Access } from "./access.ts";
import { offers } from "./surface.ts";

const connection = (surface: string, status: JsonObject = {}): KubeObject =>
  stored("PlatformConnection", "default", { spec: { surface }, status });

const FULL = { surface: { name: "Full", foundAt: "2026-11-21T10:00:00Z" } };
const DOCUMENTED = { surface: { name: "Documented", foundAt: "2026-11-21T10:00:00Z" } };

it.each<[surface: string, JsonObject, OperationName, boolean]>([
  ["Documented", FULL, "getProject", false],
  ["Full", DOCUMENTED, "deleteProject", true],
  ["Auto", FULL, "updateSecret", true],
  ["Auto", DOCUMENTED, "updateSecret", false],
  ["Auto", DOCUMENTED, "listSecrets", true],
])("a connection with spec.surface %s and status %j offers %s: %s", async (surface, status, name, offered) => {
  // No read is needed where the surface is known.
  const access = { platform: {}, connection: connection(surface, status), spec: { surface } };
  expect(await offers(access as unknown as Access, name)).toBe(offered);
});
