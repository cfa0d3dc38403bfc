import { randomUUID } from "node:crypto";

import { describe, expect, it } from "vitest";

import { stored } from "../../../test/support/kube/stored.ts";
import { figure } from "../../../test/support/platform/figure.ts";
import { storeMetrics } from "../../../test/support/platform/metrics.ts";
import { deployCall } from "../../../test/support/platform/telemetry.ts";
import { TYPES } from "../../config/kinds.ts";
import { operations, type OperationName, isDocumented } from "../../platform/codec/operations.ts";
import type { Metrics } from "./index.ts";

const NAMES = Object.keys(operations) as OperationName[];

const KINDS = TYPES.map(({ kind }) => kind);

/** Reports the operations of an ordinary day, all successful. */
function usualDay({ platform }: Metrics): void {
  for (const operation of NAMES.filter(isDocumented)) {
    platform.called(deployCall({ operation, method: operations[operation].method, status: 200 }));
  }
}

describe("[D6] the number of series", () => {
  it("does not grow with 5,000 objects of any name, and stays below 750 without controller-runtime's", async ({
    task,
  }) => {
    const { store, metrics, series } = storeMetrics({ kinds: KINDS });
    usualDay(metrics);
    const before = (await series()).length;
    for (let index = 0; index < 5_000; index += 1) {
      const { kind } = TYPES[index % TYPES.length]!;
      const name = randomUUID();
      const conditions = [{ type: "Ready", status: "False", reason: `R${index}`, message: name }];
      const status = { externalId: name, conditions };
      store.upsert(stored(kind, name, { metadata: { namespace: `n-${name}` }, status }));
      const key = { kind, namespace: `n-${name}`, name };
      const change = { generation: 1, cause: "SpecChanged", op: "createProject", result: "ok", sent: true } as const;
      metrics.platform.changed({ key, uid: name, id: name, commit: name, ...change });
    }
    const all = await series();
    const after = all.filter((line) => !line.startsWith("platform_operator_connection_up"));
    // The connections alone have one each, 1,000 at most.
    expect(all.length - after.length).toBe(Math.ceil(5_000 / TYPES.length) * 2);
    // One for each kind with a change.
    expect(after.length).toBeLessThanOrEqual(before + TYPES.length);
    // More than half of them are controller-runtime's own 41 buckets of one histogram, for 12 kinds.
    const own = after.filter((line) => !line.startsWith("controller_runtime_"));
    expect(own.length).toBeLessThan(750);
    expect(after.join("\n")).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
    figure(task, `${after.length} series with 5,000 objects as with none`);
  });

  it("is bounded for any statuses that a platform returns", async () => {
    const { metrics, series } = storeMetrics({ kinds: KINDS });
    for (const operation of NAMES) {
      const { method } = operations[operation];
      for (let status = 100; status < 1_000; status += 7) {
        metrics.platform.called(deployCall({ operation, method, status }));
      }
    }
    expect((await series("platform_operator_api_requests_total")).length).toBeLessThanOrEqual(NAMES.length * 26);
  });
});
