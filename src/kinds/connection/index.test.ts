import { describe, expect, it } from "vitest";

import { capabilitiesOn, platformOn } from "../../../test/support/kinds/supports.ts";
import type { ReconcileContext } from "../../engine/contract/kind.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import type { ConnectionMemory } from "./crd.ts";
import { clusterConnection, connection, type ConnectionTypes } from "./index.ts";

const ORGANIZATION = "00000000-0000-4000-8000-000000000001";
const PROJECT = "00000000-0000-4000-8000-0000000000b1";
const auth = { tokenSecretRef: { name: "token" } };
const least = { baseUrl: "https://platform.example.com", organizationId: ORGANIZATION, auth };

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
    look: async (memory: ConnectionMemory = {}) => {
      const context = { spec: { surface }, memory } as ReconcileContext<ConnectionTypes>;
      const observed = await connection.observe(context, api);
      return connection.report(context, observed);
    },
  };
}

describe("the surface of a connection", () => {
  const probe = ["list", `get ${PROJECT}`];
  const again = [...probe, "list"];
  const AGAIN = "so it is not known whether it offers that operation. The operator tries again at growing intervals.";
  const asked = (status: number) => `Unknown: The platform answered ${status} to getProject, ${AGAIN}`;
  const SILENT = `Unknown: The platform did not answer getProject, ${AGAIN}`;
  const NONE = "Unknown: The organization has no project yet that the platform could be asked about.";
  const auto = (...said: Said): Parameters<typeof talking> => ["Auto", [[PROJECT]], said];

  it.each<[string, Parameters<typeof talking>, "Documented" | "Full" | undefined, string[], string | undefined]>([
    ["is what the spec says", ["Documented", [[PROJECT]]], "Documented", ["list"], "True"],
    ["is what the spec says, too", ["Full", [[]]], "Full", ["list"], "True"],
    ["is open without a project", ["Auto", [[]]], undefined, ["list"], NONE],
    ["is full where one can be read", ["Auto", [[PROJECT]]], "Full", probe, "True"],
    ["is documented without the operation", auto("NotSupported", 405), "Documented", probe, "True"],
    ["is documented where what is listed is not found", auto("NotFound", 404), "Documented", again, "True"],
    ["is open where it went in between", ["Auto", [[PROJECT], []], ["NotFound", 404]], undefined, again, asked(404)],
    ["is open where it may not be read", auto("Forbidden", 403), undefined, probe, asked(403)],
    ["is open after garbage", auto("BadResponse", 200), undefined, probe, asked(200)],
    ["is open where it must slow down", auto("RateLimited", 429), undefined, probe, SILENT],
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
    const context = { spec: { surface: "Full", organizationId: ORGANIZATION } } as ReconcileContext<ConnectionTypes>;
    const api = platformOn("Full", { projects: { list } });
    return connection.observe(context, api).then((one) => connection.plan(context, one));
  };

  it("makes the spec invalid, names the field, and is looked for again", async () => {
    const message: unknown = expect.stringMatching(
      /^The platform does not find organization \S+ \(404\): No such organization\. Check spec\.pathPrefix and spec\.organ/,
    );
    const stalled = { is: "stalled", why: { reason: "InvalidSpec", message }, again: 15_000 };
    expect(await observed("NotFound")).toEqual(stalled);
  });

  it("is not reported for another failure", async () => {
    await expect(observed("Forbidden")).rejects.toThrow(ApiError);
  });
});

describe("the settings of a connection", () => {
  const of = (kind: typeof connection, change: object) =>
    kind.connection?.(kind.resource.spec.parse({ ...least, ...change }));

  it.each([
    ["unset", {}, true, false],
    ["unset, for some projects", { allowedProjects: [PROJECT] }, false, false],
    ["true, for some projects", { allowedProjects: [PROJECT], allowUnverifiedIds: true }, true, true],
    ["false", { allowUnverifiedIds: false }, false, false],
  ])("accept unverified ids or not where allowUnverifiedIds is %s", (_name, change, own, shared) => {
    expect(of(connection, change)?.allowUnverifiedIds).toBe(own);
    expect(of(clusterConnection, change)?.allowUnverifiedIds).toBe(shared);
  });

  it.each([
    [undefined, undefined],
    [{}, { names: [], matchLabels: undefined, limited: [] }],
    [{ names: ["a"] }, { names: ["a"], matchLabels: undefined, limited: [] }],
    [{ selector: { matchLabels: { team: "shop" } } }, { names: [], matchLabels: { team: "shop" }, limited: [] }],
    [
      { limited: [{ names: ["a"], allowedProjects: [PROJECT] }] },
      {
        names: [],
        matchLabels: undefined,
        limited: [{ names: ["a"], matchLabels: undefined, allowedProjects: [PROJECT] }],
      },
    ],
  ])("of a cluster-scoped one name the namespaces that may use it: %j", (allowedNamespaces, expected) => {
    expect(of(clusterConnection, { allowedNamespaces })?.allowedNamespaces).toEqual(expected);
  });
});
