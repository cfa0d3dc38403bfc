/** PlatformBlueprint: a service from a blueprint of the catalog: exists, settings, variables, deployed. */
import type { Kind } from "../../engine/contract/kind.ts";
import { isSupported } from "../../platform/codec/operations.ts";
import { serviceRecord } from "../service/model.ts";
import { environmentNeed } from "../shared/limits.ts";
import { variableRequests } from "../variables/declared.ts";
import { platformBlueprint } from "./crd.ts";
import { blueprintVariables, type BlueprintTypes, NAMES } from "./model.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";
import { act, keep, trace } from "./requests.ts";

export const blueprint: Kind<BlueprintTypes> = {
  resource: platformBlueprint,
  claim: ({ externalId }) => externalId,
  needs: ({ environmentRef, variables, variableObjects }) => ({
    references: [environmentNeed(environmentRef)],
    values: variableRequests(variables),
    inputs: (resolved) => ({
      environmentId: resolved.id("spec.environmentRef"),
      ...blueprintVariables(variables, variableObjects, resolved),
    }),
  }),
  operations: ({ engine }) => {
    // The platform has no stop of a Terraform service.
    if (engine === "Terraform" || engine === "OpenTofu")
      return { stop: [], delete: ["listServices", "deleteTerraform"] };
    return { stop: ["listServices", "stopHelm"], delete: ["listServices", "deleteHelm"] };
  },
  listable: (isFull) => isSupported(NAMES.operations.list, isFull),
  observe,
  shows: (_step, context, observed) => serviceRecord(context, observed) !== undefined,
  plan,
  act,
  trace,
  keep,
  report,
};
