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
  expect(gates.byId(other.id())).toBe(other.gate());
  expect(first.gate().budget().requestsPerSecond).toBe(7);
  token = "two";
  expect(first.gate()).not.toBe(second.gate());
  expect(gates.all()).toHaveLength(3);
  second.leave();
  expect(gates.all()).toEqual([other.gate(), first.gate()]);
});

it("report a pause to each of their members, and what changed", () => {
  const reports: string[] = [];
  const gates = createGates({ clock: manualClock(), random: () => 0, changed: () => void reports.push("changed") });
  const named = (name: string) => ({ ...member(() => "one"), limited: () => void reports.push(name) });
  const [first] = [named("first"), named("second"), member(() => "one")].map((one) => {
    const joined = gates.join(one);
    joined.gate();
    return joined;
  });
  first?.gate().ended({ sentAt: 0, isAnswered: true, pauseMs: 1_000 });
  expect(reports).toEqual(["first", "second", "changed"]);
});

it("turn away who waits once their last member leaves", async () => {
  const gates = createGates({ clock: manualClock(), random: () => 0 });
  const [first, second] = [gates.join(member(() => "one", 1)), gates.join(member(() => "one", 1))];
  const gate = first.gate();
  expect([second.gate(), await gate.admit({ priority: "high", lane: "" })]).toEqual([gate, 0]);
  const waiting = gate.admit({ priority: "high", lane: "" });
  first.leave();
  first.leave();
  expect(gate.budget().waiting).toBe(1);
  second.leave();
  expect(await waiting).toBeGreaterThan(0);
  expect(gates.byId("1")).toBeUndefined();
});
