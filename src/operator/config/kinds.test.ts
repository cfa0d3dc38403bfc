import { expect, it } from "vitest";

import { stored } from "../../../test/support/kube/stored.ts";
import { boundKinds } from "./kinds.ts";

it("the records of an object that another shard reconciles decide who writes a variable of an application, without its spec and the rest of its status", () => {
  const application = boundKinds().find(({ kind }) => kind === "PlatformApplication")!;
  const status = { externalId: "id", conditions: [], written: { variableNames: ["LEVEL"] } };
  const object = stored("PlatformApplication", "shop", { spec: { name: "shop" }, status });
  const records = application.records(object);
  expect(application.fieldOwnership(object)).toEqual([expect.stringContaining("LEVEL")]);
  expect(application.fieldOwnership(records)).toEqual(application.fieldOwnership(object));
  expect([records.spec, Object.keys(records.status ?? {}).includes("conditions")]).toEqual([undefined, false]);
});
