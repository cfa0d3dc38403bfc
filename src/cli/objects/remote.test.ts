import { expect, it, vi } from "vitest";

import { stored } from "../../../test/support/kube/stored.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import type { Access } from "../base/access.ts";
import { compareAll, comparisonLines, remoteFields } from "./remote.ts";

it("remoteFields() compares field by field, without the operator's own fields and without credentials", () => {
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
  expect(remoteFields(spec, record).map((row) => [row.path, row.wanted, row.found, row.differs])).toEqual([
    ["name", "api", "api", false],
    ["gitRepository.url", "https://•••@git.example.com/a.git", undefined, false],
    ["gitRepository.branch", "main", "main", false],
    ["cpu", "500", "250", true],
    ["ports", '[{"internalPort":8080}]', undefined, false],
    ["storage", '[{"mountPoint":"/data","size":4}]', '[{"id":"0a1b","mountPoint":"/data","size":4}]', false],
    ["state", undefined, "DEPLOYED", false],
  ]);
});

it("compareAll() uses one client for each connection, and goes on after the one object that cannot be read", async () => {
  const connection = stored("PlatformConnection", "default", { spec: { surface: "Full" } });
  const projects = ["one", "broken", "two"].map((name) =>
    stored("PlatformProject", name, { spec: { name }, status: { externalId: name } }),
  );
  const get = async (id: string) => {
    if (id === "broken") throw new ApiError("getProject", { is: "Server" }, 500, "words");
    return { id, name: id, description: "" };
  };
  const access = { connection, spec: { surface: "Full" }, platform: { projects: { get } } } as unknown as Access;
  const connect = vi.fn(async () => access);
  const compared = await compareAll({ connection: async () => connection, connect }, projects);
  expect(compared.map(({ omitted, isFailed }) => [omitted, isFailed])).toEqual([
    [undefined, false],
    ["The platform failed (getProject: words). Try again later.", true],
    [undefined, false],
  ]);
  expect(connect).toHaveBeenCalledTimes(1);
});

it("the lines of a comparison have the fields that differ first", async () => {
  const connection = stored("PlatformConnection", "default", { spec: { surface: "Full" } });
  const project = stored("PlatformProject", "web", {
    spec: { name: "web", description: "new" },
    status: { externalId: "0a1b" },
  });
  const get = async () => ({ name: "web", description: "old" });
  const access = { connection, spec: { surface: "Full" }, platform: { projects: { get } } } as unknown as Access;
  const [comparison] = await compareAll({ connection: async () => connection, connect: async () => access }, [project]);
  expect(comparisonLines(comparison ?? { fields: [], isFailed: false })).toEqual([
    "FIELD        DIFFERS  SPEC  PLATFORM",
    "description  yes      new   old",
    "name         no       web   web",
  ]);
});
