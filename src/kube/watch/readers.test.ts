import { describe, expect, it } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { scriptedClient } from "../../../test/support/kube/scripted-client.ts";
import { KubeError } from "../api/errors.ts";
import type { KubeRequest } from "../api/transport.ts";
import type { Json } from "../api/types.ts";
import { createReader } from "./readers.ts";

const secret = (token: string): Json => ({
  metadata: { uid: "u", resourceVersion: "7" },
  data: { token: Buffer.from(token).toString("base64"), odd: 5 },
});

function reading(answer: (request: KubeRequest) => Json | Promise<Json>) {
  const clock = manualClock();
  const client = scriptedClient(answer);
  return { clock, client, reader: createReader(client, clock) };
}

describe("a Secret", () => {
  it("is read by name and decoded", async () => {
    const { client, reader } = reading(() => secret("s3crét"));
    expect(await reader.secret("team-a", "s", 0)).toEqual({
      uid: "u",
      resourceVersion: "7",
      data: new Map([["token", "s3crét"]]),
    });
    expect(client.calls).toEqual([{ method: "GET", path: "/api/v1/namespaces/team-a/secrets/s" }]);
  });

  it("comes from memory while it is young enough for the one who asks", async () => {
    const { client, clock, reader } = reading(() => secret("x"));
    await reader.secret("a", "s", 1_000);
    await clock.advance(999);
    await reader.secret("a", "s", 1_000);
    expect(client.calls).toHaveLength(1);
    await reader.secret("a", "s", 500);
    await reader.secret("b", "s", 1_000);
    expect(client.calls).toHaveLength(3);
  });

  it("is read once for all who ask at the same time", async () => {
    const { client, reader } = reading(() => secret("x"));
    await Promise.all(Array.from({ length: 5 }, () => reader.secret("a", "s", 1_000)));
    expect(client.calls).toHaveLength(1);
  });

  it("that does not exist is undefined; a failure is thrown and not remembered", async () => {
    const failures = [new KubeError("NotFound", 404, "no"), new KubeError("Forbidden", 403, "no")];
    const { clock, reader } = reading(() => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return secret("x");
    });
    expect(await reader.secret("a", "s", 1_000)).toBeUndefined();
    await clock.advance(1_000);
    await expect(reader.secret("a", "s", 1_000)).rejects.toMatchObject({ failure: "Forbidden" });
    expect(await reader.secret("a", "s", 1_000)).toBeDefined();
  });

  it("is not kept for ever: 1,000 are remembered", async () => {
    const { client, reader } = reading(() => secret("x"));
    for (let index = 0; index <= 1_000; index += 1) await reader.secret("a", `s${String(index)}`, 1_000);
    await reader.secret("a", "s1000", 1_000);
    expect(client.calls).toHaveLength(1_001);
    await reader.secret("a", "s0", 1_000);
    expect(client.calls).toHaveLength(1_002);
  });
});

describe("a ConfigMap", () => {
  it("is taken as it is, without its binary data", async () => {
    const { reader } = reading(() => ({
      metadata: { uid: "u", resourceVersion: "7" },
      data: { __proto__x: "1", plain: "cGxhaW4=" },
      binaryData: { blob: "AAAA" },
    }));
    expect((await reader.configMap("a", "c", 0))?.data).toEqual(
      new Map([
        ["__proto__x", "1"],
        ["plain", "cGxhaW4="],
      ]),
    );
  });
});
