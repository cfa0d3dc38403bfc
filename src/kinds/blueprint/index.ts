/** PlatformBlueprint: a service from a blueprint of the catalog. It is created, perhaps deployed, and followed. */
import type { Kind } from "../../engine/contract/kind.ts";
import { isSupported } from "../../platform/codec/operations.ts";
import { environmentNeed } from "../shared/limits.ts";
import { variableInputs, variableRequests } from "../variables/declared.ts";
import { platformBlueprint } from "./crd.ts";
import { type BlueprintTypes, NAMES } from "./model.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";
import { act, keep, trace } from "./requests.ts";

export const blueprint: Kind<BlueprintTypes> = {
  resource: platformBlueprint,
  claim: ({ externalId }) => externalId,
  needs: ({ environmentRef, variables }) => ({
    references: [environmentNeed(environmentRef)],
    values: variableRequests(variables),
    inputs: (resolved) => ({
      environmentId: resolved.id("spec.environmentRef"),
      ...variableInputs(variables, resolved),
    }),
  }),
  operations: () => ({ stop: [], delete: [], isStopWanted: false }),
  listable: (isFull) => isSupported(NAMES.operations.list, isFull),
  observe,
  plan,
  act,
  trace,
  keep,
  report,
};
