/** PlatformOperation: one action that runs once, like a Job. */
import type { Reference, Kind } from "../../engine/contract/kind.ts";
import { act } from "./act.ts";
import { platformOperation, type OperationSpec, type OperationType } from "./crd.ts";
import { externalWrites } from "./imprints.ts";
import type { OperationTypes } from "./model.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { refused } from "./refusal.ts";
import { overdue, report } from "./report.ts";
import { trace } from "./trace.ts";

export const operation: Kind<OperationTypes> = {
  resource: platformOperation,
  lives: false,
  oneShot: {
    over: ({ outcome, expiresAt }) => {
      if (outcome === undefined) return undefined;
      const at = new Date(expiresAt ?? "");
      return { expiresAt: Number.isNaN(at.getTime()) ? undefined : at };
    },
    refused,
    limitMs: ({ activeDeadlineSeconds: seconds }) => seconds * 1000,
    overdue,
  },
  needs: (spec) => {
    const target = targetOf(spec);
    return {
      references: target === undefined ? [] : [target],
      values: [],
      inputs: (resolved) => ({ targetId: target && resolved.id(target.field) }),
    };
  },
  externalWrites,
  observe,
  plan,
  act,
  trace,
  report,
};

/** The field that holds the target, and its kind; the other types have none. */
const TARGETS = {
  DeployApplication: ["applicationRef", "PlatformApplication"],
  DeployDatabase: ["databaseRef", "PlatformDatabase"],
  StopDatabase: ["databaseRef", "PlatformDatabase"],
  StopCluster: ["clusterRef", "PlatformCluster"],
  UpgradeCluster: ["clusterRef", "PlatformCluster"],
  RenderHelmDefaultValues: ["environmentRef", "PlatformEnvironment"],
  SendInvoices: undefined,
} as const satisfies Record<OperationType, unknown>;

/** Returns the target. It need not be Ready: the operation may be what fixes it. */
function targetOf(spec: OperationSpec): Reference | undefined {
  const target = TARGETS[spec.type];
  if (target === undefined) return undefined;
  const [member, kind] = target;
  const reference = spec[member];
  return {
    field: `spec.${member}`,
    kind,
    name: reference?.name,
    externalId: reference?.externalId,
    idOnly: true,
  };
}
