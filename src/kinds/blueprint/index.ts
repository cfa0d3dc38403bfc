/** PlatformBlueprint: a service from a blueprint of the catalogue. It is created, perhaps deployed, and followed. */
import type { Kind } from "../../engine/contract/kind.ts";
import { variableRequests } from "../shared/variables.ts";
import { platformBlueprint } from "./crd.ts";
import { create, keep, trace } from "./create.ts";
import type { BlueprintTypes } from "./model.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";
import { variableInputs } from "./settings.ts";

export const blueprint: Kind<BlueprintTypes> = {
  resource: platformBlueprint,
  lives: true,
  claim: (spec) => spec.externalId,
  operations: () => ({ stop: [], delete: [] }),
  listable: (supports) => supports("listServices") !== "Unsupported",
  needs: (spec) => ({
    references: [
      {
        field: "spec.environmentRef",
        kind: "PlatformEnvironment",
        name: spec.environmentRef.name,
        externalId: spec.environmentRef.externalId,
      },
    ],
    values: variableRequests(spec.variables),
    inputs: (resolved) => ({ environmentId: resolved.id("spec.environmentRef"), ...variableInputs(spec, resolved) }),
  }),
  observe,
  plan,
  keep,
  act: (_step, context, seen, api) => create(context, seen, api),
  trace,
  report,
};
