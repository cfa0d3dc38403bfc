/** How the passes of a life are counted: a bed that counts none could not find too many. */
import { describe, expect, it } from "vitest";

import { maxReconciles } from "../chaos/lifecycle/reconciles.ts";

const at = (second: number): string => new Date(second * 1_000).toISOString();
const end = (second: number, name = "api") => ({
  level: "debug",
  logger: "engine",
  message: "reconciled",
  kind: "PlatformApplication",
  name,
  time: at(second),
});
const change = (second: number) => ({ ...end(second), logger: "changes", message: "deployApplication" });
const write = (second: number, what = "api/status") => ({
  what: `kube PATCH platformapplications/${what}`,
  at: second * 1_000,
});

describe("the passes of a life", () => {
  it.each([
    ["none", [], [end(1)], [0, 0]],
    [
      "waits and states that are reported, and an end",
      [write(1), write(3), write(5)],
      [end(2), end(4), end(6)],
      [1, 3],
    ],
    ["a change of the platform, reported later", [write(3)], [change(1), end(2), end(4)], [2, 2]],
    [
      "several writes in one pass",
      [write(1, "api"), write(1.2, "api"), write(1.4)],
      [change(1.1), end(2), end(4)],
      [1, 1],
    ],
    [
      "a write of metadata over and over again",
      [write(1, "api"), write(3, "api"), write(5, "api")],
      [end(2), end(4), end(6)],
      [3, 3],
    ],
    [
      "those of the object that took the most",
      [write(1, "api"), write(1, "web"), write(3, "web")],
      [end(2), end(2, "web"), end(4), end(4, "web")],
      [2, 2],
    ],
    ["what is under way at the end", [write(1, "api"), write(3, "api")], [end(2)], [2, 2]],
    ["what is not of our kinds", [{ what: "kube PATCH leases/operator", at: 1_000 }], [end(2)], [0, 0]],
  ])("are counted: %s", (_what, calls, logs, [acting, writing]) => {
    expect(maxReconciles(calls, logs)).toEqual({ acting, writing });
  });
});
