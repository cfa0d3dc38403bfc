import { describe, expect, it } from "vitest";

import type { KubeObject } from "../../kube/api/types.ts";
import { boundKinds } from "./kinds.ts";

const kindOf = (name: string) => {
  const found = boundKinds().find(({ kind }) => kind === name);
  if (found === undefined) throw new Error(`no kind ${name}`);
  return found;
};

describe("the records of an object that another shard reconciles", () => {
  it("decide who writes a variable of an application, without its spec and the rest of its status", () => {
    const application = kindOf("PlatformApplication");
    const object: KubeObject = {
      apiVersion: "platform-operator.io/v1alpha1",
      kind: "PlatformApplication",
      metadata: { name: "shop", namespace: "team", uid: "1", resourceVersion: "1" },
      spec: { name: "shop" },
      status: { externalId: "id", conditions: [], written: { variableNames: ["LEVEL"] } },
    };
    const records = application.records(object);
    expect(application.fieldOwnership(object)).toEqual([expect.stringContaining("LEVEL")]);
    expect(application.fieldOwnership(records)).toEqual(application.fieldOwnership(object));
    expect([records.spec, Object.keys(records.status ?? {}).includes("conditions")]).toEqual([undefined, false]);
  });
});
