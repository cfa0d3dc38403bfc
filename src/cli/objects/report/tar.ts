/** Writes a tar archive of texts (POSIX.1-1988 ustar). Pure. */

export interface TarEntry {
  /** Relative, at most 100 characters. */
  readonly name: string;
  readonly text: string;
}

const BLOCK = 512;

/**
 * @param at the time of all entries
 * @returns the archive, not compressed
 * @throws RangeError for a name that is too long
 */
export function tarOf(entries: readonly TarEntry[], at: Date): Uint8Array {
  const files = entries.map(({ name, text }) => {
    const content = Buffer.from(text);
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return Buffer.concat([headerOf(name, content.length, at), content, padding]);
  });
  return Buffer.concat([...files, Buffer.alloc(2 * BLOCK)]);
}

function headerOf(name: string, size: number, at: Date): Buffer {
  if (Buffer.byteLength(name) > 100) throw new RangeError(`${name} is too long for an archive`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`;
  header.write(name, 0);
  header.write(octal(0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(Math.floor(at.getTime() / 1_000), 12), 136);
  // The checksum counts its own field as blanks.
  header.write(" ".repeat(8), 148);
  header.write("0", 156);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
