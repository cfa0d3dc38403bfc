/** The command `report`: writes a support bundle without secrets. */
import { writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

import { OPERATOR } from "../../../config/names.ts";
import type { Call } from "../../base/call.ts";
import { UsageError } from "../../base/exit.ts";
import { explain, isExpected } from "../../base/explain.ts";
import { notWritten, writeFiles } from "../../base/io.ts";
import { wrap } from "../../base/render.ts";
import { yamlText } from "../../base/yaml.ts";
import { runChecks } from "../check/index.ts";
import { listObjects } from "../shared/listing.ts";
import { objectEntries, partEntries, type BundleFile } from "./gather.ts";
import { maskedText } from "./mask.ts";

const ARCHIVE = /\.(tar\.gz|tgz)$/;
/** Names that look like another kind of file. */
const FILE = /\.(gz|zip|tar|json|ya?ml|txt)$/;

interface ReportOptions {
  readonly filename: string;
  readonly allNamespaces?: boolean | undefined;
}

export async function reportCommand(call: Call, { filename, allNamespaces }: ReportOptions): Promise<void> {
  const { access, host, shared } = call;
  if (!ARCHIVE.test(filename) && FILE.test(filename)) {
    throw new UsageError(`-f takes an archive that ends in .tar.gz or .tgz, or a directory, not ${filename}.`);
  }
  const cluster = await call.cluster();
  const { clock } = host;
  const { operatorNamespace } = shared;
  const namespace = allNamespaces === true ? "" : cluster.namespace;
  const gaps: string[] = [];
  const note = (line: string): void => void gaps.push(line);
  const objects = await listObjects({ cluster, namespace, report: note }).catch((error: unknown) => {
    if (!isExpected(error)) throw error;
    note(`The custom resources are omitted: ${explain(error).message}`);
    return [];
  });
  const context = { cluster, access, namespace, operatorNamespace, serviceAccount: OPERATOR, clock };
  const findings = await runChecks(context, "all");
  const entries = [
    ...objectEntries(objects),
    ...(await partEntries(cluster, { namespace, operatorNamespace }, note)),
    { name: "check.yaml", text: maskedText(yamlText(findings)) },
  ];
  const bundle = [{ name: "README.txt", text: readme(entries, gaps, namespace, clock.now()) }, ...entries];
  await write(filename, bundle, clock.now());
  const names = bundle.map(({ name }) => name).join(", ");
  const lines = [`Wrote ${filename}: ${names}. Values are masked; review it before you share it.`, ...gaps];
  for (const line of lines) call.report(wrap(line, 2));
}

function readme(entries: readonly BundleFile[], gaps: readonly string[], namespace: string, now: Date): string {
  return [
    `Report of ${namespace === "" ? "all namespaces" : `namespace ${namespace}`}, made ${now.toISOString()}.`,
    "",
    "In it:",
    ...entries.map(({ name }) => `  ${name}`),
    "",
    "It contains no Secrets, ConfigMaps or logs, and of the platform only what the statuses show. Values of variables,",
    "of templates' fields and of inputs, and members that are named like a secret, are replaced by •••.",
    ...(gaps.length === 0 ? [] : ["", "Omitted:", ...gaps.map((gap) => `  ${gap}`)]),
    "",
  ].join("\n");
}

async function write(file: string, bundle: readonly BundleFile[], now: Date): Promise<void> {
  if (!ARCHIVE.test(file)) return writeFiles(file, bundle);
  const named = bundle.map(({ name, text }) => ({ name: `platform-report/${name}`, text }));
  try {
    await writeFile(file, gzipSync(tarOf(named, now)));
  } catch (error) {
    throw notWritten(file, error);
  }
}

const BLOCK = 512;

/**
 * Builds a tar archive of texts (POSIX.1-1988 ustar).
 * @param at the time of all entries
 * @returns the archive, not compressed
 * @throws RangeError for a name that is too long
 */
export function tarOf(entries: readonly BundleFile[], at: Date): Uint8Array {
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
