import { describe, expect, it } from "vitest";

import { remoteFields } from "./get.ts";

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
