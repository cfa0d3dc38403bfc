import { describe, expect, it } from "vitest";

import type { Platform } from "../../platform/index.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import { orGone } from "./answers.ts";
import { isProjectOfOrganization, placeOfEnvironment } from "./limits.ts";

const failed = (is: ApiFailure["is"]) => new ApiError("listEnvironments", { is } as ApiFailure, 0, "said");
const kindOf = (error: unknown): string => (error as ApiError).failure.is;

/** A platform with these environments in these projects, or with the failures of their reads. */
function platform(projects: Readonly<Record<string, readonly string[] | ApiFailure["is"]>>) {
  const asked: string[] = [];
  const environmentsOf = (what: string) => (id: string) => {
    asked.push(`${what} of ${id}`);
    const environments = projects[id] ?? "NotFound";
    return typeof environments === "string"
      ? Promise.reject(failed(environments))
      : Promise.resolve(environments.map((environment) => ({ id: environment })));
  };
  const list = () => Promise.resolve(Object.keys(projects).map((id) => ({ id })));
  const inOrganization = (environmentId: string) => {
    asked.push(`services of ${environmentId}`);
    return Promise.resolve(environmentId === "b" ? [{ id: "s", environmentId, projectId: "two" }] : []);
  };
  const api = {
    projects: { list, environmentStats: environmentsOf("stats") },
    environments: { list: environmentsOf("list") },
    services: { inOrganization },
  };
  return { api: api as unknown as Platform, asked };
}

const on = (isFull: boolean) => ({ isFull, records: { unread: () => undefined } });
const found = (projectId: string) => ({ is: "found", projectId });

describe("the place of an environment", () => {
  const projects = { one: ["a"], two: ["b"], three: ["c"] };

  it("is the first project that has it, and none after that is read", async () => {
    const { api, asked } = platform(projects);
    expect(await placeOfEnvironment(on(false), api, "b")).toEqual(found("two"));
    expect(asked).toEqual(["stats of one", "stats of two"]);
  });

  it("is that of its services on Full, in one read", async () => {
    const { api, asked } = platform(projects);
    expect(await placeOfEnvironment(on(true), api, "b")).toEqual(found("two"));
    expect(asked).toEqual(["services of b"]);
  });

  it("is looked for in the lists of all projects on Full where it is empty", async () => {
    const { api, asked } = platform(projects);
    expect(await placeOfEnvironment(on(true), api, "a")).toEqual(found("one"));
    expect(asked).toEqual(["services of a", "list of one"]);
  });

  it("is unknown where only statistics lack it", async () => {
    expect(await placeOfEnvironment(on(false), platform(projects).api, "z")).toEqual({ is: "unknown" });
  });

  it("is absent where the lists of all projects lack it", async () => {
    expect(await placeOfEnvironment(on(true), platform(projects).api, "z")).toEqual({ is: "absent" });
  });
});

it.each([
  ["is", "two", true],
  ["is not, if it is an environment's,", "b", false],
])("an id %s a project of the organization", async (_title, id, expected) => {
  const { api } = platform({ one: ["a"], two: ["b"] });
  expect(await isProjectOfOrganization(api, id)).toBe(expected);
});

it.each<[string, ApiFailure["is"], string, string | undefined]>([
  ["is not blocked by a project that was deleted in between", "NotFound", "b", "two"],
  ["is not blocked by a project that the token may not read", "Forbidden", "b", "two"],
  ["ends without an answer when all others lack it", "Forbidden", "z", "Forbidden"],
  ["ends at any other failure", "Server", "b", "Server"],
])("the way up from an id %s", async (_name, failure, environment, expected) => {
  const { api } = platform({ one: failure, two: ["b"] });
  const place = await placeOfEnvironment(on(false), api, environment).catch(kindOf);
  expect(typeof place === "string" || place.is !== "found" ? place : place.projectId).toBe(expected);
});

it.each<[string, ApiFailure["is"] | undefined, boolean, unknown]>([
  ["succeeds", undefined, false, "answer"],
  ["finds nothing", "NotFound", false, undefined],
  ["is forbidden, and the parent is gone", "Forbidden", true, undefined],
  ["is forbidden, and the parent is there", "Forbidden", false, "Forbidden"],
  ["fails otherwise, whatever is gone", "Server", true, "Server"],
])("a read under a parent that may be gone %s", async (_name, failure, gone, expected) => {
  const read = failure === undefined ? Promise.resolve("answer") : Promise.reject(failed(failure));
  expect(await orGone(read, () => Promise.resolve(gone)).catch(kindOf)).toBe(expected);
});

it("a read under a parent that may be gone hides no defect of the operator", async () => {
  const mistake = new TypeError("mistake");
  await expect(orGone(Promise.reject(mistake), () => Promise.resolve(true))).rejects.toBe(mistake);
});
