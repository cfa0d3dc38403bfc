import { expect, it } from "vitest";

import { ending } from "../../test/support/programs/cli.ts";
import { startScriptedCluster } from "../../test/support/programs/scripted-cluster.ts";

it.each<[line: string, code: number, words: RegExp]>([
  ["api nonsense", 64, /^The specification has no operation "nonsense"\. List: kubectl platform api\n/],
  ["api getClusterMetrics --param endpoint=x", 64, /^getClusterMetrics needs --param clusterId=… --param query=…\.\n/],
  ["api listProjects --param a=b", 64, /^listProjects has no parameter "a"\. It has: none\.\n/],
  ["api listProjects --param a", 64, /^--param takes name=value, not "a"\.\n/],
  ["api createProject", 64, /^createProject needs a body: -f FILE, or -f -\.\n/],
  ["api listProjects -f -", 64, /^listProjects has no body: leave out -f\.\n/],
  ["api listProjects -q $[", 64, /^-q "\$\[": /],
  [
    "api listProjects",
    1,
    /^There is no connection: neither PlatformConnection "default" in namespace "shop" nor Cluster/,
  ],
  [
    "api listProjects --connection=nowhere",
    1,
    /^PlatformConnection "nowhere" does not exist in namespace "shop"\. Check/,
  ],
  ["api listProjects --context=nowhere", 1, /^No cluster can be reached: /],
  ["check --uninstall --installation", 64, /^Give at most one of --pre, --installation and --uninstall\.\n/],
  ["deploy nothing 1a2b3c4", 1, /^PlatformApplication "nothing" does not exist/],
  ["logs papp/nowhere", 1, /^PlatformApplication "nowhere" does not exist in namespace "shop"\. Check the /],
  ["plan", 64, /^Name the manifests to plan with -f FILE, -f DIR or -k DIR\.\nSee "kubectl platform plan --help"\.\n$/],
  ["reconcile web", 64, /^"web" names no object: give kind and name, e\.g\. papp\/api\./],
  ["report -f report.zip", 64, /^-f takes an archive that ends in \.tar\.gz or \.tgz/],
  ["resolve papp/shop", 64, /^Give exactly one of --id UUID, --recreate, --adopt and --proceed\./],
  ["resolve papp/shop --id shop", 64, /^--id takes an id of the platform/],
  ["rollback nothing", 1, /^PlatformApplication "nothing" does not exist/],
  ["tree -w -o json", 64, /^--watch takes -o table or wide\.\n/],
])(`"%s" in a cluster without objects exits with %d`, async (line, code, words) => {
  const cluster = await startScriptedCluster(() => 404);
  expect(await cluster.run(line.split(" "), { isTTY: true })).toEqual(ending(code, "", words));
});

it("the message for a user who may not read a connection names the connection to ask for", async () => {
  const cluster = await startScriptedCluster((_, { pathname }) => (pathname.includes("cluster") ? 403 : 404));
  const words = /^You may not read ClusterPlatformConnection "default", .* to use: GET \S+: 403 Forbidden\. Ask /;
  expect(await cluster.run(["api", "listProjects"])).toEqual(ending(1, "", words));
});

it.each(["tree", "tree -o name", "tree -w"])("%s fails for a user who may not list any objects", async (line) => {
  const cluster = await startScriptedCluster(() => 403);
  const words = /(^|\n)You may not do this in the cluster: GET \S+: 403 Forbidden\.\n$/;
  expect(await cluster.run(line.split(" "))).toEqual(ending(1, "", words));
});

it("an empty list names the namespace in which nothing was found", async () => {
  const cluster = await startScriptedCluster(() => ({ metadata: { resourceVersion: "1" }, items: [] }));
  expect(await cluster.run(["tree"])).toEqual(ending(0, "", "No resources found in shop namespace.\n"));
});
