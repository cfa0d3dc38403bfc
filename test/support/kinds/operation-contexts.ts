/** Contexts of an operation, for its pure code. */
import { platformOperation } from "../../../src/kinds/operation/crd.ts";
import type { OperationContext } from "../../../src/kinds/operation/model.ts";
import type { ClusterStatus } from "../../../src/platform/areas/clusters.ts";
import type { ServiceStatus } from "../../../src/platform/areas/service-status.ts";
import type { Platform } from "../../../src/platform/index.ts";
import { ApiError } from "../../../src/platform/transport/errors.ts";
import { type ContextChange, contextWith } from "./contexts.ts";
import { capabilitiesOn } from "./supports.ts";

export const TARGET = "00000000-0000-4000-8000-0000000000e1";

/** @param spec as a user writes it; the surface is the documented one by default */
export function operationContext(spec: unknown, change: ContextChange<OperationContext> = {}): OperationContext {
  const parsed = platformOperation.spec.parse(spec);
  return contextWith<OperationContext>({ spec: parsed, inputs: { targetId: TARGET }, adoption: "Never" }, change);
}

/** A platform that answers these states of the target, and 404 to every other read. */
export function answeringPlatform(shown: {
  readonly application?: ServiceStatus;
  readonly cluster?: ClusterStatus;
}): Platform {
  const answer = <T>(value: T | undefined): Promise<T> =>
    value === undefined
      ? Promise.reject(new ApiError("x", { is: "NotFound" }, 404, "not found"))
      : Promise.resolve(value);
  const platform = {
    capabilities: capabilitiesOn("Full"),
    applications: { status: () => answer(shown.application) },
    clusters: { status: () => answer(shown.cluster), list: () => answer(undefined) },
    databases: { get: () => answer(undefined) },
  };
  return platform as unknown as Platform;
}
