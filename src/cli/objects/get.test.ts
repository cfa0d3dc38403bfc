import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { startScriptedCluster } from "../../../test/support/programs/scripted-cluster.ts";
import { API_VERSION } from "../../api/names.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import type { Access } from "../base/access.ts";
import { remoteFields, remoteRows } from "./get.ts";

describe("what both sides say", () => {
  it("is told field by field, without what is ours and without credentials", () => {
    const spec = {
      name: "api",
      environmentRef: { name: "staging" },
      lifecycle: { deletionPolicy: "Retain" },
      variables: [{ name: "A", value: "b" }],
      gitRepository: { url: "https://me:pw@git.example.com/a.git", branch: "main" },
      cpu: 500,
      ports: [{ internalPort: 8080 }],
      storage: [{ mountPoint: "/data", size: 4 }],
    };
    const record = {
      name: "api",
      cpu: 250,
      gitRepository: { branch: "main" },
      storage: [{ id: "0a1b", mountPoint: "/data", size: 4 }],
      state: "DEPLOYED",
      record: { cpu: 250 },
    };
    expect(remoteFields(spec, record)).toEqual([
      { path: "name", wanted: "api", found: "api", differs: false },
      { path: "gitRepository.url", wanted: "https://•••@git.example.com/a.git", found: undefined, differs: false },
      { path: "gitRepository.branch", wanted: "main", found: "main", differs: false },
      { path: "cpu", wanted: "500", found: "250", differs: true },
      { path: "ports", wanted: '[{"internalPort":8080}]', found: undefined, differs: false },
      {
        path: "storage",
        wanted: '[{"mountPoint":"/data","size":4}]',
        found: '[{"id":"0a1b","mountPoint":"/data","size":4}]',
        differs: false,
      },
      { path: "state", wanted: undefined, found: "DEPLOYED", differs: false },
    ]);
  });
});

describe("the platform's side of many objects", () => {
  const project = (name: string): KubeObject => ({
    apiVersion: API_VERSION,
    kind: "PlatformProject",
    metadata: { name, namespace: "shop", uid: name, resourceVersion: "1" },
    spec: { name },
    status: { externalId: name },
  });

  it("is read over one client for each connection, and one failure omits one object", async () => {
    const connection: KubeObject = { ...project("default"), kind: "PlatformConnection", spec: { surface: "Full" } };
    const get = async (id: string) => {
      if (id === "broken") throw new ApiError("getProject", { is: "Server" }, 500, "words");
      return { id, name: id };
    };
    const access = { connection, platform: { projects: { get } } } as unknown as Access;
    const connect = vi.fn(async () => access);
    const reported: string[] = [];
    const call = { connection: async () => connection, connect, report: (line: string) => void reported.push(line) };
    const { rows, failures } = await remoteRows(call, ["one", "broken", "two"].map(project));
    expect(rows.filter(({ path }) => path === "name").map(({ found }) => found)).toEqual(["one", "two"]);
    expect(failures).toBe(1);
    expect(reported).toEqual(["pproj/broken is omitted: The platform failed (getProject: words). Try again later."]);
    expect(connect).toHaveBeenCalledTimes(1);
  });
});

describe("a user who may list nothing", () => {
  let cluster: Awaited<ReturnType<typeof startScriptedCluster>>;
  beforeAll(async () => {
    cluster = await startScriptedCluster(() => 403);
  });
  afterAll(() => cluster.stop());

  it.each([["get"], ["get papp -o json"], ["get papp -A"], ["tree"], ["tree -o name"]])(
    "fails with %s",
    async (line) => {
      const { code, stdout, stderr } = await cluster.run(line.split(" "));
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^You may not do this in the cluster: GET \S+: 403 Forbidden\.\n$/);
    },
  );
});
