/** The API server's validation of every leaf of every kind (generated as in Acto), by dry runs without an operator. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { API_VERSION, GROUP, VERSION } from "../../src/api/names.ts";
import type { ConnectedClient } from "../../src/kube/api/client.ts";
import { collectionPath } from "../../src/kube/api/paths.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { clientAt, createNamespace } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { figure } from "../support/platform/figure.ts";
import { casesOf, repetitions } from "./generated/cases.ts";
import { SOMEWHERE } from "./generated/fixture.ts";
import { KINDS } from "./generated/kinds/index.ts";
import { readSchemas, type KindSchema } from "./generated/schema.ts";

const NAMESPACE = "generated-schema";

describe("[G1] the API server", () => {
  const { kubeconfigPath } = inject("controlPlane");
  let client: ConnectedClient;

  beforeAll(async () => {
    client = clientAt(kubeconfigPath, "generated");
    await createNamespace(client, NAMESPACE);
  });
  afterAll(() => client.close());

  /** @returns the API server's error for a spec, "" when it accepts it */
  const errorFor = async ({ kind, plural, namespaced }: KindSchema, spec: JsonObject): Promise<string> => {
    const type = { group: GROUP, version: VERSION, kind, plural, namespaced };
    const body = { apiVersion: API_VERSION, kind, metadata: { name: "case" }, spec };
    const query = { dryRun: "All", fieldValidation: "Strict" };
    return client.request({ method: "POST", path: collectionPath(type, NAMESPACE), body, query }).then(
      () => "",
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  };

  /** A short run tries leaves that several kinds have in common on one of them. */
  const isTried = repetitions();

  it.for(readSchemas())("accepts valid values in a $kind and refuses others by name", async (schema, { task }) => {
    const kind = KINDS.find((one) => one.kind === schema.kind);
    if (kind === undefined) throw new Error(`no seed of ${schema.kind}`);
    const all = casesOf(schema, kind, SOMEWHERE, "case");
    const leaves = effort.all ? all : all.filter((leaf) => !isTried(leaf));
    const seed = all[0]?.base;
    const valids = leaves.flatMap(({ leaf, base, valid, boundaries }) => [
      ...(base === seed ? [] : [{ title: `${leaf.path}: its base`, spec: base }]),
      { title: `${leaf.path}: another value`, ...valid },
      ...boundaries,
    ]);
    const invalids = leaves.flatMap((leaf) => leaf.invalids);
    const wronglyRefused = await collect(valids, async ({ title, spec }) => {
      const error = await errorFor(schema, spec);
      return error === "" ? [] : [`${title}: ${error}`];
    });
    const wronglyAccepted = await collect(invalids, async ({ title, spec, at }) => {
      const error = await errorFor(schema, spec);
      return error.includes(at) ? [] : [`${title} (${at}): ${error === "" ? "accepted" : error}`];
    });
    figure(task, `${all.length} leaves of ${schema.kind}`, valids.length + invalids.length);
    expect({ wronglyRefused, wronglyAccepted }).toEqual({ wronglyRefused: [], wronglyAccepted: [] });
  });
});

/** Runs a check for each item, eight at a time. @returns all problems */
async function collect<T>(
  all: readonly T[],
  check: (one: T) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const queue = [...all];
  const found: string[] = [];
  const work = async (): Promise<void> => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) found.push(...(await check(one)));
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return found;
}
