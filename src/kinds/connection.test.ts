import { describe, expect, it } from "vitest";

import { supportsOn } from "../../test/support/supports.ts";
import type { Pass } from "../engine/kind.ts";
import { ApiError, type ApiFailure } from "../platform/errors.ts";
import type { Platform } from "../platform/index.ts";
import type { ConnectionMemory, ConnectionSpec } from "../resources/connection.ts";
import { clusterConnection, connection } from "./connection.ts";

const ORGANIZATION = "00000000-0000-4000-8000-000000000001";
const PROJECT = "00000000-0000-4000-8000-0000000000b1";
const least = {
  baseUrl: "https://platform.example.com",
  organizationId: ORGANIZATION,
  auth: { tokenSecretRef: { name: "token" } },
};

/** What is found out of a platform with these projects, where reading one of them goes so. */
async function found(
  surface: "Auto" | "Documented" | "Full",
  lists: readonly (readonly string[])[],
  read?: ApiFailure["is"],
) {
  const calls: string[] = [];
  let listed = 0;
  const list = () => {
    calls.push("list");
    listed += 1;
    return Promise.resolve((lists[listed - 1] ?? lists.at(-1) ?? []).map((id) => ({ id, name: "shop", record: {} })));
  };
  const get = (id: string) => {
    calls.push(`get ${id}`);
    return read === undefined
      ? Promise.resolve({ id, name: "shop", record: {} })
      : Promise.reject(new ApiError("getProject", { is: read } as ApiFailure, 0, "said"));
  };
  const api = { projects: { list, get } } as unknown as Platform;
  const pass = { spec: { surface } } as Pass<ConnectionSpec, object, ConnectionMemory>;
  return { ...(await connection.observe(pass, api)), calls };
}

describe("the surface of a connection", () => {
  const probe = ["list", `get ${PROJECT}`];
  const again = [...probe, "list"];

  it.each<[string, Parameters<typeof found>, "Documented" | "Full" | undefined, string[]]>([
    ["is what the spec says", ["Documented", [[PROJECT]]], "Documented", ["list"]],
    ["is what the spec says, too", ["Full", [[]]], "Full", ["list"]],
    ["is open without a project", ["Auto", [[]]], undefined, ["list"]],
    ["is full where one can be read", ["Auto", [[PROJECT]]], "Full", probe],
    ["is documented where there is no such operation", ["Auto", [[PROJECT]], "NotSupported"], "Documented", probe],
    ["is documented where what is listed is not found", ["Auto", [[PROJECT]], "NotFound"], "Documented", again],
    ["is open where it went in between", ["Auto", [[PROJECT], []], "NotFound"], undefined, again],
    ["is open where it may not be read", ["Auto", [[PROJECT]], "Forbidden"], undefined, probe],
    ["is open where the platform fails", ["Auto", [[PROJECT]], "Server"], undefined, probe],
    ["is open where it must slow down", ["Auto", [[PROJECT]], "RateLimited"], undefined, probe],
  ])("%s", async (_name, given, surface, calls) => {
    expect(await found(...given)).toEqual({ surface, calls });
  });

  it("is asked for again soon while it is open, and remembered", () => {
    const pass = (memory: ConnectionMemory) => ({ memory }) as Pass<ConnectionSpec, object, ConnectionMemory>;
    expect(connection.plan(pass({}), { surface: undefined })).toEqual({ is: "settled", again: 15_000 });
    expect(connection.plan(pass({}), { surface: "Full" })).toEqual({ is: "settled" });
    const told = (memory: ConnectionMemory, surface?: "Full" | "Documented") =>
      connection.report(pass(memory), { surface });
    expect(told({ surface: "Full" })).toEqual({
      ready: { reason: "Available", message: "The platform is reachable and accepts the token." },
      conditions: [],
      status: { surface: "Full" },
    });
    expect(told({ surface: "Full" }, "Documented").status).toEqual({ surface: "Documented" });
    expect(told({}).status).toEqual({});
  });
});

describe("an organization that the platform does not find", () => {
  const observed = (is: ApiFailure["is"]) => {
    const list = () => Promise.reject(new ApiError("listProjects", { is } as ApiFailure, 404, "No such organization"));
    const pass = { spec: { surface: "Full", organizationId: ORGANIZATION } } as Pass<
      ConnectionSpec,
      object,
      ConnectionMemory
    >;
    const seen = connection.observe(pass, { projects: { list } } as unknown as Platform);
    return seen.then((one) => connection.plan(pass, one));
  };

  it("is a mistake in the spec, which says where, and is looked for again", async () => {
    expect(await observed("NotFound")).toEqual({
      is: "stalled",
      why: {
        reason: "InvalidSpec",
        message: `The platform does not find organization ${ORGANIZATION} (404): No such organization. Check spec.pathPrefix and spec.organizationId; for another organization make another connection.`,
      },
      again: 15_000,
    });
  });

  it("is not what another failure says", async () => {
    await expect(observed("Forbidden")).rejects.toThrow(ApiError);
  });
});

describe("the settings of a connection", () => {
  const settings = (change: object = {}) =>
    connection.connection?.(connection.resource.spec.parse({ ...least, ...change }));
  const clusterSettings = (change: object = {}) =>
    clusterConnection.connection?.(clusterConnection.resource.spec.parse({ ...least, ...change }));

  it("have their defaults", () => {
    expect(settings()).toEqual({
      baseUrl: "https://platform.example.com",
      pathPrefix: "",
      organizationId: ORGANIZATION,
      scheme: "Token",
      tokenSecret: { name: "token", key: "token" },
      surface: "Auto",
      allowUnverifiedIds: true,
      allowedProjects: undefined,
      defaults: { lifecycle: {}, pollInterval: undefined },
      allowedNamespaces: undefined,
    });
  });

  it.each([
    ["unset", {}, true, false],
    ["unset, for some projects", { allowedProjects: [PROJECT] }, false, false],
    ["true", { allowUnverifiedIds: true }, true, true],
    ["true, for some projects", { allowedProjects: [PROJECT], allowUnverifiedIds: true }, true, true],
    ["false", { allowUnverifiedIds: false }, false, false],
  ])("let ids stand, or not, where allowUnverifiedIds is %s", (_name, change, own, shared) => {
    expect(settings(change)?.allowUnverifiedIds).toBe(own);
    expect(clusterSettings(change)?.allowUnverifiedIds).toBe(shared);
  });

  it("are handed on", () => {
    const change = { allowedProjects: [PROJECT], allowUnverifiedIds: true, pathPrefix: "/api/v1", surface: "Full" };
    expect(settings(change)).toMatchObject(change);
  });

  it.each([
    [undefined, undefined],
    [{}, { names: [], matchLabels: undefined }],
    [{ names: ["a"] }, { names: ["a"], matchLabels: undefined }],
    [{ selector: { matchLabels: { team: "shop" } } }, { names: [], matchLabels: { team: "shop" } }],
  ])("of the cluster's one name who may use it: %j", (allowedNamespaces, expected) => {
    expect(clusterSettings({ allowedNamespaces })?.allowedNamespaces).toEqual(expected);
  });
});

describe("a connection", () => {
  it.each([connection, clusterConnection])("has nothing on the platform that could be acted upon", async (kind) => {
    expect([kind.lives, kind.listable(supportsOn("Full")), kind.claim({} as never, () => undefined)]).toEqual([
      false,
      false,
      undefined,
    ]);
    expect(kind.needs({} as never)).toMatchObject({ references: [], values: [] });
    await expect(kind.act({} as never, {} as never, {} as never, {} as never)).rejects.toThrow(TypeError);
    expect(await kind.trace({} as never, {} as never, {} as never)).toEqual({ is: "absent" });
  });
});
