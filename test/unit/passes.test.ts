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
  it.for([
    { what: "none", calls: [], logs: [end(1)], passes: { acting: 0, writing: 0 } },
    {
      what: "waits and states that are reported, and an end",
      calls: [write(1), write(3), write(5)],
      logs: [end(2), end(4), end(6)],
      passes: { acting: 1, writing: 3 },
    },
    {
      what: "a change of the platform, reported later",
      calls: [write(3)],
      logs: [change(1), end(2), end(4)],
      passes: { acting: 2, writing: 2 },
    },
    {
      what: "several writes in one pass",
      calls: [write(1, "api"), write(1.2, "api"), write(1.4)],
      logs: [change(1.1), end(2), end(4)],
      passes: { acting: 1, writing: 1 },
    },
    {
      what: "a write of metadata over and over again",
      calls: [write(1, "api"), write(3, "api"), write(5, "api")],
      logs: [end(2), end(4), end(6)],
      passes: { acting: 3, writing: 3 },
    },
    {
      what: "those of the object that took the most",
      calls: [write(1, "api"), write(1, "web"), write(3, "web")],
      logs: [end(2), end(2, "web"), end(4), end(4, "web")],
      passes: { acting: 2, writing: 2 },
    },
    {
      what: "what is under way at the end",
      calls: [write(1, "api"), write(3, "api")],
      logs: [end(2)],
      passes: { acting: 2, writing: 2 },
    },
    {
      what: "what is not of our kinds",
      calls: [{ what: "kube PATCH leases/operator", at: 1_000 }],
      logs: [end(2)],
      passes: { acting: 0, writing: 0 },
    },
  ])("are counted: $what", ({ calls, logs, passes }) => {
    expect(maxReconciles(calls, logs)).toEqual(passes);
  });
});
