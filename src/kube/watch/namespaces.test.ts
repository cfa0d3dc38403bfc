import { describe, expect, it } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { scriptedClient } from "../../../test/support/kube/scripted-client.ts";
import { KubeError } from "../api/errors.ts";
import { createNamespaces } from "./readers.ts";

describe("a namespace", () => {
  it("is read by name, and from memory while it is young enough", async () => {
    const clock = manualClock();
    const labels = { team: "a" };
    const client = scriptedClient(() => ({
      metadata: { uid: "u", labels, deletionTimestamp: "2026-11-21T10:00:00Z" },
    }));
    const namespaces = createNamespaces(client, clock);
    expect(await namespaces.get("team-a", 1_000)).toEqual({ uid: "u", labels, terminating: true });
    await namespaces.get("team-a", 1_000);
    expect(client.calls).toEqual([{ method: "GET", path: "/api/v1/namespaces/team-a" }]);
    await clock.advance(1_000);
    await namespaces.get("team-a", 1_000);
    expect(client.calls).toHaveLength(2);
  });

  it("that does not exist, or could not be read, is not remembered", async () => {
    const failures = [new KubeError("NotFound", 404, "no"), new KubeError("Server", 500, "no")];
    const client = scriptedClient(() => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return { metadata: { uid: "u" } };
    });
    const namespaces = createNamespaces(client, manualClock());
    expect(await namespaces.get("a", 1_000)).toBeUndefined();
    await expect(namespaces.get("a", 1_000)).rejects.toMatchObject({ failure: "Server" });
    expect(await namespaces.get("a", 1_000)).toEqual({ uid: "u", labels: {}, terminating: false });
  });
});
