import { describe, expect, it } from "vitest";

import { lines } from "./watch-event.ts";

async function* inChunks(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const size of sizes) {
    yield bytes.subarray(from, from + size);
    from += size;
  }
  yield bytes.subarray(from);
}

async function read(text: string, sizes: readonly number[] = []): Promise<{ got: string[]; rest: number }> {
  const got: string[] = [];
  let rest = 0;
  for await (const line of lines(inChunks(Buffer.from(text), sizes), (bytes) => (rest = bytes))) got.push(line);
  return { got, rest };
}

/** However the bytes are cut: test/hostile/fuzz/watch.test.ts. */
describe("[B7] lines", () => {
  it("splits a stream only at the newline byte", async () => {
    const line = '{"note":"a\u2028b\u2029c\rd\u0085e"}';
    expect((await read(`${line}\n`)).got).toEqual([line]);
  });

  it("leaves out empty lines, and reports an unterminated rest", async () => {
    expect(await read('\n\n{"a":1}\n{"type":"ADD')).toEqual({ got: ['{"a":1}'], rest: 12 });
  });

  it("accepts a line of 2 MB, and refuses one of more than 16 MiB", async () => {
    const long = "x".repeat(2_000_000);
    expect((await read(`${long}\n`, [65_536, 65_536])).got).toEqual([long]);
    await expect(read("x".repeat(17 * 1024 * 1024))).rejects.toThrow("exceeds 16 MiB");
  });
});
