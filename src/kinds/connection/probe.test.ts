import { describe, expect, it } from "vitest";

import { capabilitiesOn, platformOn } from "../../../test/support/kinds/supports.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import type { ConnectionMemory, ConnectionSpec } from "./crd.ts";
import { probe } from "./probe.ts";

const ORGANIZATION = "00000000-0000-4000-8000-000000000001";
const PROJECT = "00000000-0000-4000-8000-0000000000b1";

type Said = readonly [ApiFailure["is"], status: number];

/** What is learned of a platform with these projects, where a read of one of them ends like this. */
function talking(surface: "Auto" | "Documented" | "Full", lists: readonly (readonly string[])[], said?: Said) {
  const calls: string[] = [];
  let listed = 0;
  let time = 0;
  const capabilities = capabilitiesOn(surface, { monotonic: () => time });
  const list = () => {
    calls.push("list");
    listed += 1;
    return Promise.resolve((lists[listed - 1] ?? lists.at(-1) ?? []).map((id) => ({ id, name: "shop", record: {} })));
  };
  const get = async (id: string) => {
    calls.push(`get ${id}`);
    await Promise.resolve();
    if (said === undefined) {
      capabilities.succeeded("getProject");
      return { id, name: "shop", record: {} };
    }
    const error = new ApiError("getProject", { is: said[0] } as ApiFailure, said[1], "said");
    capabilities.failed("getProject", error);
    throw error;
  };
  const api = platformOn(surface, { capabilities, projects: { list, get } });
  return {
    calls,
    skip: (ms: number) => {
      time += ms;
    },
    look: (memory: ConnectionMemory = {}) => probe({ surface } as ConnectionSpec, memory, api),
  };
}

describe("the surface of a connection", () => {
  const asking = ["list", `get ${PROJECT}`];
  const again = [...asking, "list"];
  const AGAIN = "so it is not known whether it offers that operation. The operator tries again at growing intervals.";
  const asked = (status: number) => `Unknown: The platform answered ${status} to getProject, ${AGAIN}`;
  const SILENT = `Unknown: The platform did not answer getProject, ${AGAIN}`;
  const NONE = "Unknown: The organization has no project yet that the platform could be asked about.";
  const auto = (...said: Said): Parameters<typeof talking> => ["Auto", [[PROJECT]], said];

  it.each<[string, Parameters<typeof talking>, "Documented" | "Full" | undefined, string[], string | undefined]>([
    ["is what the spec says", ["Documented", [[PROJECT]]], "Documented", ["list"], "True"],
    ["is what the spec says, too", ["Full", [[]]], "Full", ["list"], "True"],
    ["is open without a project", ["Auto", [[]]], undefined, ["list"], NONE],
    ["is full where one can be read", ["Auto", [[PROJECT]]], "Full", asking, "True"],
    ["is documented without the operation", auto("NotSupported", 405), "Documented", asking, "True"],
    ["is documented where what is listed is not found", auto("NotFound", 404), "Documented", again, "True"],
    ["is open where it went in between", ["Auto", [[PROJECT], []], ["NotFound", 404]], undefined, again, asked(404)],
    ["is open where it may not be read", auto("Forbidden", 403), undefined, asking, asked(403)],
    ["is open after garbage", auto("BadResponse", 200), undefined, asking, asked(200)],
    ["is open where it must slow down", auto("RateLimited", 429), undefined, asking, SILENT],
  ])("%s", async (_name, given, surface, calls, condition) => {
    const platform = talking(...given);
    const { status, conditions } = await platform.look();
    expect(status["surface"]).toBe(surface);
    expect(platform.calls).toEqual(calls);
    const [first] = conditions;
    expect(first?.status === "Unknown" ? `Unknown: ${first.message}` : first?.status).toBe(condition);
  });

  it("is remembered, with the operations that it sums up, and tried again after an hour", async () => {
    const operations = { supported: ["listApplications"], unsupported: ["getProject"] };
    const platform = talking("Auto", [[PROJECT]], ["NotSupported", 405]);
    const first = await platform.look({ surface: "Partial", operations });
    expect(first.status).toEqual({ surface: "Partial", operations });
    expect(platform.calls).toEqual(["list"]);
    platform.skip(3_600_000);
    expect((await platform.look({ surface: "Partial", operations })).status).toEqual(first.status);
    expect(platform.calls).toEqual(["list", "list", `get ${PROJECT}`]);
  });
});

describe("an organization that the platform does not find", () => {
  const observed = (is: ApiFailure["is"]) => {
    const list = () => Promise.reject(new ApiError("listProjects", { is } as ApiFailure, 404, "No such organization"));
    const spec = { surface: "Full", organizationId: ORGANIZATION } as ConnectionSpec;
    return probe(spec, {}, platformOn("Full", { projects: { list } }));
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
