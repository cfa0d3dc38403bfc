import { expect, it } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { createGates } from "./gates.ts";

const member = (token: () => string, requestsPerSecond?: number) => ({
  origin: "https://platform.example.com",
  token,
  ceiling: { requestsPerSecond },
});

it("are shared by all who send with a token, at the lowest of their ceilings, and changed with the token", () => {
  const gates = createGates({ clock: manualClock(), random: () => 0 });
  let token = "one";
  const first = gates.join(member(() => token, 40));
  const second = gates.join(member(() => "one", 7));
  const other = gates.join({ ...member(() => "one"), origin: "https://other.example.com" });
  expect(first.gate()).toBe(second.gate());
  expect(other.gate()).not.toBe(first.gate());
  expect(gates.byId(first.id())).toBe(second.gate());
  expect(first.gate().budget().requestsPerSecond).toBe(7);
  token = "two";
  expect(first.gate()).not.toBe(second.gate());
  expect(gates.all()).toHaveLength(3);
  second.leave();
  expect(gates.all()).toHaveLength(2);
});
