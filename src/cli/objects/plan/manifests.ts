/** Reads manifests from files and directories. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { isObject, listMember, member, stringMember } from "../../../kube/api/json.ts";
import type { JsonObject } from "../../../kube/api/types.ts";
import { CliError } from "../../base/exit.ts";
import { readText, type Io } from "../../base/io.ts";

/** An object as its author wrote it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** The whole object. */
  readonly body: JsonObject;
  /** The file that it is from. */
  readonly file: string;
}

const FILES = /\.(ya?ml|json)$/;

/**
 * Reads manifests as `kubectl apply -f` does: files, `-` for standard input, or directories.
 * @param recursive whether to read subdirectories
 * @throws CliError with the file and the error
 */
export async function readManifests(
  io: Io,
  paths: readonly string[],
  recursive: boolean,
): Promise<readonly Manifest[]> {
  const manifests: Manifest[] = [];
  for (const path of paths) {
    for (const file of await filesOf(path, recursive)) {
      manifests.push(...(await manifestsIn(file, await readText(io, file))));
    }
  }
  if (manifests.length === 0) throw new CliError(`${paths.map(fileLabel).join(", ")} contains no object.`);
  return manifests;
}

/** @returns the name of a file in messages */
export function fileLabel(file: string): string {
  return file === "-" ? "standard input" : file;
}

async function filesOf(path: string, recursive: boolean): Promise<readonly string[]> {
  if (path === "-" || !(await isDirectory(path))) return [path];
  const entries = await readdir(path, { recursive, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && FILES.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    throw new CliError(`${path} cannot be read. Check the path.`);
  }
}

async function manifestsIn(file: string, text: string): Promise<readonly Manifest[]> {
  const { parseAllDocuments } = await import("yaml");
  const documents = parseAllDocuments(text);
  // An empty stream is an empty list with members of its own.
  return [...documents].flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined)
      throw new CliError(`${fileLabel(file)} is not valid YAML: ${error.message.split("\n")[0] ?? error.code}`);
    const value: unknown = document.toJS();
    return value === null || value === undefined ? [] : objectsIn(file, value);
  });
}

function objectsIn(file: string, value: unknown): readonly Manifest[] {
  const apiVersion = stringMember(value, "apiVersion");
  const kind = stringMember(value, "kind");
  if (kind?.endsWith("List") === true && Array.isArray(member(value, "items"))) {
    return listMember(value, "items").flatMap((item) => objectsIn(file, item));
  }
  const metadata = member(value, "metadata");
  const name = stringMember(metadata, "name");
  if (!isObject(value) || apiVersion === undefined || kind === undefined || name === undefined) {
    throw new CliError(
      `${fileLabel(file)} contains a document that is not a Kubernetes object: apiVersion, kind or metadata.name is missing.`,
    );
  }
  return [{ apiVersion, kind, name, namespace: stringMember(metadata, "namespace"), body: value, file }];
}
