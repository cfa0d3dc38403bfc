/** The command line that builds the Dockerfile. */
import type { Engine } from "./engine.ts";
import type { ImageFacts } from "./facts.ts";

export interface ImageOrder {
  readonly facts: ImageFacts;
  /** The image's name with its tag. */
  readonly name: string;
  /** Replacements for the Dockerfile's base images. */
  readonly bases?: { readonly build?: string | undefined; readonly runtime?: string | undefined };
  /** An .npmrc for a mirror of the registry. */
  readonly npmrc?: string | undefined;
}

/** @returns the arguments of the engine, without the folder to build */
export function buildArguments(engine: Engine, { facts, name, bases = {}, npmrc }: ImageOrder): readonly string[] {
  const { version, revision, epoch } = facts;
  const values = {
    VERSION: version,
    REVISION: revision,
    CREATED: new Date(epoch * 1000).toISOString().replace(".000Z", "Z"),
    BUILD_IMAGE: bases.build,
    RUNTIME_IMAGE: bases.runtime,
    // BuildKit takes the image's date from it; the other engines have a flag.
    SOURCE_DATE_EPOCH: engine === "docker" ? String(epoch) : undefined,
  };
  return [
    "build",
    `--tag=${name}`,
    ...Object.entries(values).flatMap(([key, value]) => (value ? [`--build-arg=${key}=${value}`] : [])),
    ...(engine === "docker" ? [] : [`--timestamp=${epoch}`]),
    ...(npmrc ? [`--secret=id=npmrc,src=${npmrc}`] : []),
  ];
}
