import { describe, expect, it } from "vitest";

import { platformWith } from "../../../test/support/kinds/platform.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import type { ConnectionSpec } from "./crd.ts";
import { probe } from "./probe.ts";

const ORGANIZATION = "00000000-0000-4000-8000-000000000001";
const PROJECT = "00000000-0000-4000-8000-0000000000b1";

type Answer = readonly [is: ApiFailure["is"], status: number];

/** A connection whose platform lists these projects and answers the read of one of them like this. */
function probing(surface: "Auto" | "Documented" | "Full", ids: readonly string[], answer?: Answer) {
  const calls: string[] = [];
  const list = () => {
    calls.push("list");
    return Promise.resolve(ids.map((id) => ({ id, name: "shop", record: {} })));
  };
  const get = (id: string) => {
    calls.push(`get ${id}`);
    if (answer === undefined) return Promise.resolve({ id, name: "shop", record: {} });
    const [is, status] = answer;
    return Promise.reject(new ApiError("getProject", { is } as ApiFailure, status, "said"));
  };
  const api = platformWith({ projects: { list, get } });
  return {
    calls,
    look: () => probe({ surface } as ConnectionSpec, api),
  };
}

describe("the surface of a connection", () => {
  const PROBE = ["list", `get ${PROJECT}`];
  const auto = (...answer: Answer): Parameters<typeof probing> => ["Auto", [PROJECT], answer];

  it.each<[string, Parameters<typeof probing>, "Documented" | "Full" | undefined, readonly string[]]>([
    ["is Documented where the spec says so", ["Documented", [PROJECT]], "Documented", ["list"]],
    ["is Full where the spec says so", ["Full", []], "Full", ["list"]],
    ["is undecided without a project", ["Auto", []], undefined, ["list"]],
    ["is Full where a listed project can be read", ["Auto", [PROJECT]], "Full", PROBE],
    ["is Documented after a 405 in JSON", auto("NotSupported", 405), "Documented", PROBE],
    ["is Documented after a 501 in JSON", auto("NotSupported", 501), "Documented", PROBE],
    ["is Documented after a 404 in JSON", auto("NotFound", 404), "Documented", PROBE],
    ["is undecided after a 404 in HTML", auto("Intercepted", 404), undefined, PROBE],
    ["is undecided after a 403", auto("Forbidden", 403), undefined, PROBE],
    ["is undecided after a 401", auto("Unauthorized", 401), undefined, PROBE],
    ["is undecided after a 500", auto("Server", 500), undefined, PROBE],
    ["is undecided after an answer that is no JSON", auto("BadResponse", 200), undefined, PROBE],
    ["is undecided without an answer", auto("Unreachable", 0), undefined, PROBE],
  ])("%s", async (_name, given, surface, calls) => {
    const platform = probing(...given);
    expect((await platform.look()).surface).toBe(surface);
    expect(platform.calls).toEqual(calls);
  });

  it.each<[string, Parameters<typeof probing>, string]>([
    ["no project", ["Auto", []], "the organization has no project that the platform could be asked about"],
    ["a 403", auto("Forbidden", 403), "it answered 403 to getProject"],
    ["silence", auto("Unreachable", 0), "it did not answer getProject"],
  ])("tells why it is undecided: %s", async (_name, given, cause) => {
    expect((await probing(...given).look()).undecided).toBe(cause);
  });
});

describe("a token that the platform rejects (401)", () => {
  const rejected = new ApiError("listProjects", { is: "Unauthorized" }, 401, "Full authentication is required");
  const spec = { surface: "Full", auth: { scheme: "Token" } } as ConnectionSpec;
  const look = (otherScheme: () => Promise<"Bearer">) =>
    probe(spec, platformWith({ projects: { list: () => Promise.reject(rejected) }, otherScheme }));

  it("is tried once with the other scheme, and the message says that it works", async () => {
    const { refusal } = await look(() => Promise.resolve("Bearer"));
    const message =
      "The platform rejects the token with the scheme Token (401), and accepts it with the scheme Bearer. Set spec.auth.scheme: Bearer.";
    expect(refusal).toEqual({ reason: "CredentialsInvalid", message });
  });

  it("is rejected where no scheme works", async () => {
    await expect(look(() => Promise.reject(rejected))).rejects.toBe(rejected);
  });
});

describe("an organization that the platform does not find", () => {
  const observed = (is: ApiFailure["is"]) => {
    const list = () => Promise.reject(new ApiError("listProjects", { is } as ApiFailure, 404, "No such organization"));
    const spec = { surface: "Full", organizationId: ORGANIZATION } as ConnectionSpec;
    return probe(spec, platformWith({ projects: { list } }));
  };

  it("makes the spec invalid, and names the fields to check", async () => {
    const message: unknown = expect.stringMatching(
      /^The platform does not find organization \S+ \(404\): No such organization\. Check spec\.pathPrefix and spec\.organ/,
    );
    expect((await observed("NotFound")).refusal).toEqual({ reason: "InvalidSpec", message });
  });

  it("is not reported for another failure", async () => {
    await expect(observed("Forbidden")).rejects.toThrow(ApiError);
  });
});
