/** Reads files; `-` is standard input. */
import { readFile } from "node:fs/promises";

import { CliError, UsageError } from "./exit.ts";
import { readAll, type Io } from "./io.ts";

/** @throws CliError when the file cannot be read; UsageError when standard input is a terminal */
export async function readText(io: Io, path: string): Promise<string> {
  if (path === "-") {
    if (io.stdin.isTTY === true) throw new UsageError("Nothing is piped in. Pipe it in, or name a file with -f.");
    return readAll(io.stdin);
  }
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new CliError(`${path} cannot be read${code === "" ? "" : ` (${code})`}. Check the path.`);
  }
}

/** @returns the object in a file of JSON or YAML. @throws CliError when there is none */
export async function readObject(io: Io, path: string): Promise<Readonly<Record<string, unknown>>> {
  const { parse, YAMLError } = await import("yaml");
  let value: unknown;
  try {
    value = parse(await readText(io, path), { intAsBigInt: false });
  } catch (error) {
    if (!(error instanceof YAMLError)) throw error;
    throw new CliError(`${nameOf(path)} is neither JSON nor YAML (${error.code}).`);
  }
  if (isRecord(value)) return value;
  throw new CliError(`${nameOf(path)} holds no object. It has to be one, in JSON or YAML.`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf(path: string): string {
  return path === "-" ? "Standard input" : path;
}
