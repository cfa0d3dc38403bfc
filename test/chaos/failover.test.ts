/** [D3] Two replicas: the leader is killed, frozen or disconnected from the API server, or its lease is changed. */
import { describe, it } from "vitest";

import { effort } from "../support/env/effort.ts";
import { figure } from "../support/platform/figure.ts";
import { BY_HAND, type Failover, LOSSES } from "./failover-plan.ts";
import { failOver } from "./failover.ts";

const seed = (index: number): number => effort.seed * 1_000 + index;
const losses = Array.from({ length: 100 }, (_, index): Failover => {
  return { seed: seed(index), way: LOSSES[index % LOSSES.length] ?? "kill" };
});
const byHand = BY_HAND.flatMap((way) =>
  Array.from({ length: 8 }, (_, index): Failover => ({ seed: seed(index), way })),
);
/** The selection of `make test`: a freeze on each surface. */
const selection = [0, 1].map((index): Failover => ({ seed: seed(index), way: "freeze" }));

describe.concurrent("[D3] a failover", () => {
  it.for(effort.all ? [...losses, ...byHand] : selection)(
    "with seed $seed by $way keeps the rules",
    async (plan, { expect, task }) => {
      const { violations, figure: text } = await failOver(plan);
      expect(violations, violations.join("\n")).toEqual([]);
      figure(task, text);
    },
  );
});
