import { describe, expect, it } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { afterFailures, scriptedClient } from "../../../test/support/kube/scripted-client.ts";
import { KubeError } from "../api/errors.ts";
import type { KubeRequest } from "../api/transport.ts";
import type { Json } from "../api/types.ts";
import { createNamespaces, createReader } from "./readers.ts";

const secret = (token: string): Json => ({
  metadata: { uid: "u", resourceVersion: "7", labels: { team: "a" } },
  type: "Opaque",
  data: { token: Buffer.from(token).toString("base64"), odd: 5 },
});

function reading(answer: (request: KubeRequest) => Json | Promise<Json>) {
  const clock = manualClock();
  const client = scriptedClient(answer);
  return { clock, client, reader: createReader(client, clock), namespaces: createNamespaces(client, clock) };
}

describe("a Secret", () => {
  it("is read by its name and decoded", async () => {
    const { client, reader } = reading(() => secret("s3crét"));
    const read = await reader.secret("team-a", "s", 0);
    const facts = { uid: "u", resourceVersion: "7", type: "Opaque", labels: { team: "a" }, keys: ["token"] };
    expect(read).toMatchObject(facts);
    expect(read?.get("token")).toBe("s3crét");
    expect(read?.get("other")).toBeUndefined();
    expect(client.calls).toEqual([{ method: "GET", path: "/api/v1/namespaces/team-a/secrets/s" }]);
  });

  it.each([
    ["that is UTF-8", Buffer.from("grüße"), "grüße"],
    ["with a byte order mark", Buffer.from("\ufeffkey"), "\ufeffkey"],
    ["that is empty", Buffer.alloc(0), ""],
    ["of random bytes", Buffer.from([0xc3, 0x28, 0xff]), null],
    ["in UTF-16", Buffer.from("\ufeffkey", "utf16le"), null],
    ["in UTF-16 without a mark", Buffer.from("key", "utf16le"), null],
  ])("has a value %s", async (_what, bytes, text) => {
    const data = { value: bytes.toString("base64"), plain: "cGxhaW4=" };
    const { reader } = reading(() => ({ metadata: { uid: "u", resourceVersion: "7" }, data }));
    const read = await reader.secret("a", "s", 0);
    expect(read?.get("value")).toBe(text);
    expect(read?.get("plain")).toBe("plain");
  });

  it("is read once for all who ask at the same time, and again if it is older than the caller allows", async () => {
    const { client, clock, reader } = reading(() => secret("x"));
    await Promise.all(Array.from({ length: 5 }, () => reader.secret("a", "s", 1_000)));
    await clock.advance(999);
    await reader.secret("a", "s", 1_000);
    expect(client.calls).toHaveLength(1);
    await reader.secret("a", "s", 500);
    await reader.secret("b", "s", 1_000);
    expect(client.calls).toHaveLength(3);
  });

  it("that does not exist is undefined, and a failure is thrown and not remembered", async () => {
    const failures = [new KubeError("NotFound", 404, "no"), new KubeError("Forbidden", 403, "no")];
    const { clock, reader } = reading(afterFailures(failures, secret("x")));
    expect(await reader.secret("a", "s", 1_000)).toBeUndefined();
    await clock.advance(1_000);
    await expect(reader.secret("a", "s", 1_000)).rejects.toMatchObject({ failure: "Forbidden" });
    expect(await reader.secret("a", "s", 1_000)).toBeDefined();
  });

  it("is remembered with at most 999 others", async () => {
    const { client, reader } = reading(() => secret("x"));
    for (let index = 0; index <= 1_000; index += 1) await reader.secret("a", `s${String(index)}`, 1_000);
    await reader.secret("a", "s1000", 1_000);
    expect(client.calls).toHaveLength(1_001);
    await reader.secret("a", "s0", 1_000);
    expect(client.calls).toHaveLength(1_002);
  });
});

it("the memory for Secrets is 16 MiB: a large one displaces the one that was read longest ago", async () => {
  const { client, reader } = reading(() => secret("x".repeat(6 * 1024 * 1024)));
  for (const name of ["a", "b", "b", "a"]) await reader.secret("a", name, 1_000);
  expect(client.calls.map(({ path }) => path.at(-1))).toEqual(["a", "b", "a"]);
});

it("a ConfigMap has its texts as they are, and its binary data by key only", async () => {
  const metadata = { uid: "u", resourceVersion: "7" };
  const data = { __proto__x: "1", plain: "cGxhaW4=" };
  const { reader } = reading(() => ({ metadata, data, binaryData: { blob: "AAAA" } }));
  const read = await reader.configMap("a", "c", 0);
  expect(Object.fromEntries(read?.keys.map((key) => [key, read.get(key)]) ?? [])).toEqual({ ...data, blob: null });
});

it("a namespace is read by its name, and from memory up to the age that the caller allows", async () => {
  const labels = { team: "a" };
  const metadata = { uid: "u", labels, deletionTimestamp: "2026-11-21T10:00:00Z" };
  const { client, namespaces } = reading(() => ({ metadata }));
  for (let read = 0; read < 2; read += 1) {
    expect(await namespaces.get("team-a", 1_000)).toEqual({ uid: "u", labels, terminating: true });
  }
  expect(client.calls).toEqual([{ method: "GET", path: "/api/v1/namespaces/team-a" }]);
});

it("a namespace that does not exist or cannot be read is not remembered", async () => {
  const failures = [new KubeError("NotFound", 404, "no"), new KubeError("Server", 500, "no")];
  const { namespaces } = reading(afterFailures(failures, { metadata: { uid: "u" } }));
  expect(await namespaces.get("a", 1_000)).toBeUndefined();
  await expect(namespaces.get("a", 1_000)).rejects.toMatchObject({ failure: "Server" });
  expect(await namespaces.get("a", 1_000)).toEqual({ uid: "u", labels: {}, terminating: false });
});
