/** The API server's validation of every leaf of every kind (generated as in Acto), by dry runs without an operator. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { API_VERSION, GROUP, VERSION } from "../../src/api/names.ts";
import { collectionPath } from "../../src/kube/api/paths.ts";
import type { Json, JsonObject } from "../../src/kube/api/types.ts";
import { clientAt, createNamespace } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { HOSTILE_IDS } from "../support/hostile/ids.ts";
import { figure } from "../support/platform/figure.ts";
import { casesOf, repetitions } from "./generated/cases.ts";
import { KINDS } from "./generated/kinds/index.ts";
import { SOMEWHERE } from "./generated/outcomes.ts";
import { placed, type Placed } from "./generated/place.ts";
import type { KindSchema } from "./generated/schema.ts";

const NAMESPACE = "generated-schema";
const { kubeconfigPath } = inject("controlPlane");
const client = clientAt(kubeconfigPath, "generated");

beforeAll(() => createNamespace(client, NAMESPACE));
afterAll(() => client.close());

/** @returns the API server's error for a spec, "" when it accepts it */
async function errorFor({ kind, plural, namespaced }: KindSchema, spec: JsonObject): Promise<string> {
  const type = { group: GROUP, version: VERSION, kind, plural, namespaced };
  const body = { apiVersion: API_VERSION, kind, metadata: { name: "case" }, spec };
  const query = { dryRun: "All", fieldValidation: "Strict" };
  return client.request({ method: "POST", path: collectionPath(type, NAMESPACE), body, query, timeoutMs: 30_000 }).then(
    () => "",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

type Titled = Placed & { readonly title: string; readonly reason?: string };

/** @returns the specs that the API server accepts, or refuses for another field or another reason */
async function wronglyAccepted(kind: KindSchema, specs: readonly Titled[]): Promise<readonly string[]> {
  return collect(specs, async ({ title, spec, at, reason = "" }) => {
    const error = await errorFor(kind, spec);
    return error.includes(`${at} FieldValue${reason}`)
      ? []
      : [`${title} (${at}): ${error === "" ? "accepted" : error}`];
  });
}

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

describe("the API server", () => {
  /** A short run tries leaves that several kinds have in common on one of them. */
  const isTried = repetitions();

  it.for(KINDS)("[G1] accepts valid values in a $kind, and refuses others by name", async (kind, { task }) => {
    const all = casesOf(kind, SOMEWHERE, "case");
    const leaves = effort.all ? all : all.filter((leaf) => !isTried(leaf));
    const seed = all[0]?.base;
    const valids = leaves.flatMap(({ leaf, base, valid, boundaries }) => [
      ...(base === seed ? [] : [{ title: `${leaf.path}: its base`, spec: base }]),
      { title: `${leaf.path}: another value`, ...valid },
      ...boundaries,
    ]);
    const invalids = leaves.flatMap((leaf) => leaf.invalids);
    const wronglyRefused = await collect(valids, async ({ title, spec }) => {
      const error = await errorFor(kind, spec);
      return error === "" ? [] : [`${title}: ${error}`];
    });
    figure(task, `${all.length} leaves of ${kind.kind}`, valids.length + invalids.length);
    expect({ wronglyRefused, wronglyAccepted: await wronglyAccepted(kind, invalids) }).toEqual({
      wronglyRefused: [],
      wronglyAccepted: [],
    });
  });

  /** Leaves whose values become a part of a path; test/unit/crd-bounds.test.ts tries their patterns. */
  const IN_PATHS = /(Ref\.name|Id|outputConfigMap|allowedProjects\[\])$/;

  it.for(KINDS)("[E1] refuses hostile ids and names in every path of a $kind", async (kind, { task }) => {
    const leaves = casesOf(kind, SOMEWHERE, "case").filter(({ leaf: { path } }) => IN_PATHS.test(path));
    const specs = leaves.flatMap(({ leaf, base }) =>
      HOSTILE_IDS.map((id): Titled => ({ title: `${leaf.path}: ${JSON.stringify(id)}`, ...placed(base, leaf, id) })),
    );
    expect(leaves).not.toEqual([]);
    expect(await wronglyAccepted(kind, specs)).toEqual([]);
    figure(task, "0 hostile ids accepted", specs.length);
  });

  const HUGE = "x".repeat(1_048_576);

  it.for(KINDS)(
    "[E5] refuses a text of 1 MiB, and a list of 1,000 items where there is one, in a $kind",
    async (kind, { task }) => {
      const leaves = casesOf(kind, SOMEWHERE, "case");
      const text = leaves.find(({ leaf: { schema } }) => schema.type === "string" && schema.enum === undefined);
      const list = leaves.find(({ leaf: { schema } }) => schema.type === "array");
      const specs = [text, list].flatMap((one): readonly Titled[] => {
        if (one === undefined) return [];
        const { leaf, base, entry } = one;
        const items = Array.isArray(entry.to) ? (entry.to as readonly Json[]) : undefined;
        const value = items === undefined ? HUGE : Array.from({ length: 1_000 }, () => items[0] ?? null);
        return [{ title: leaf.path, reason: items ? "TooMany" : "TooLong", ...placed(base, leaf, value) }];
      });
      expect(specs.map(({ reason }) => reason)).toEqual(list === undefined ? ["TooLong"] : ["TooLong", "TooMany"]);
      expect(await wronglyAccepted(kind, specs)).toEqual([]);
      figure(task, "0 huge values accepted", specs.length);
    },
  );
});
