import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { manualClock, type ManualClock } from "../../../test/support/kube/clock.ts";
import { fileToken } from "./credentials.ts";

let dir: string;
let path: string;
let clock: ManualClock;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "token-test-"));
  path = join(dir, "token");
  clock = manualClock();
  await put("one", 1);
});

afterEach(() => rm(dir, { recursive: true }));

async function put(token: string, seconds: number): Promise<void> {
  await writeFile(path, `${token}\n`);
  await utimes(path, seconds, seconds);
}

describe("fileToken", () => {
  it("returns the content of the file without its newline, and checks the file again after 10 s", async () => {
    const source = fileToken(path, clock);
    expect(await source()).toBe("one");
    await put("two", 2);
    await clock.advance(9_999);
    expect(await source()).toBe("one");
    await clock.advance(1);
    expect(await source()).toBe("two");
  });

  it("does not read a file whose modification time is unchanged", async () => {
    const source = fileToken(path, clock);
    await source();
    await put("two", 1);
    await clock.advance(10_000);
    expect(await source()).toBe("one");
  });

  it("[D1] is not affected by a step of the wall clock", async () => {
    const source = fileToken(path, clock);
    await source();
    await put("two", 2);
    clock.shiftWall(-3_600_000);
    await clock.advance(10_000);
    expect(await source()).toBe("two");
  });

  it("returns the last token while the file is missing, and fails if there was none", async () => {
    const source = fileToken(path, clock);
    await source();
    await rm(path);
    await clock.advance(10_000);
    expect(await source()).toBe("one");
    await expect(fileToken(path, clock)()).rejects.toThrow("ENOENT");
    await put("two", 2);
  });
});
