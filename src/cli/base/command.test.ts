import { expect, it } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { fakeIo } from "../../../test/support/programs/cli.ts";
import { command } from "./command.ts";

it("a command's own description of a shared flag replaces the shared one", () => {
  const namespace = { type: "text", value: "NAME", about: "of this command" } as const;
  const { flags } = command({ asks: "cluster", flags: { namespace }, run: () => {} });
  expect(flags["namespace"]).toBe(namespace);
});

it("a command reports lines without control characters", async () => {
  const { io, stderr } = fakeIo();
  const host = { io, clock: manualClock(), interrupt: () => new AbortController().signal };
  const reporting = command({
    asks: "nothing",
    run: ({ report }) => {
      report("a\u001B[2J\u202E\n  b");
    },
  });
  await reporting.run([], { host, program: "kubectl platform" });
  expect(stderr()).toBe("a [2J\n  b\n");
});
