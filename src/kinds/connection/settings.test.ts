import { describe, expect, it } from "vitest";

import type { ConnectionSettings } from "../../engine/contract/connection.ts";
import { clusterConnection, connection } from "./index.ts";

const ORGANIZATION = "00000000-0000-4000-8000-000000000001";
const PROJECT = "00000000-0000-4000-8000-0000000000b1";
const auth = { tokenSecretRef: { name: "token" } };
const least = { baseUrl: "https://platform.example.com", organizationId: ORGANIZATION, auth };

describe("the settings of a connection", () => {
  const of = (kind: typeof connection, change: object): ConnectionSettings =>
    kind.settings(kind.resource.spec.parse({ ...least, ...change }));

  it.each([
    ["unset", {}, true, false],
    ["unset, for some projects", { allowedProjects: [PROJECT] }, false, false],
    ["true, for some projects", { allowedProjects: [PROJECT], allowUnverifiedIds: true }, true, true],
    ["false", { allowUnverifiedIds: false }, false, false],
  ])("accept unverified ids or not where allowUnverifiedIds is %s", (_name, change, own, shared) => {
    expect(of(connection, change).allowUnverifiedIds).toBe(own);
    expect(of(clusterConnection, change).allowUnverifiedIds).toBe(shared);
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
    expect(of(clusterConnection, { allowedNamespaces }).allowedNamespaces).toEqual(expected);
  });
});
