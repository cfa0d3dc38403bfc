import { expect, it } from "vitest";

import { ending } from "../../test/support/programs/cli.ts";
import { startScriptedCluster } from "../../test/support/programs/scripted-cluster.ts";

it.each<[line: string, code: number, words: RegExp]>([
  ["app-status papp/nowhere", 1, /^PlatformApplication "nowhere" does not exist in namespace "shop"\. Check the /],
  ["catalog --mode=X", 64, /^--mode and --provider go together: give both or none\.\n/],
  ["check --uninstall --installation", 64, /^Give at most one of --pre, --installation and --uninstall\.\n/],
  ["cluster kubeconfig main --server=http://127.0.0.1", 64, /begins with https/],
  ["env import api -f nowhere.env", 1, /^nowhere\.env cannot be read \(ENOENT\)\. Check the path\.\n$/],
  ["env import api -f - --secret=B", 64, /^--secret names B, which - does not have\.\n/],
  ["events --type=Sometimes", 64, /^--type takes /],
  ["export --all --project x", 64, /^Give either --all or --project ID\|NAME\./],
  ["plan", 64, /^Name the manifests to plan with -f FILE or -f DIR\./],
  ["plan -f nowhere.yaml", 1, /^nowhere\.yaml cannot be read/],
  ["projects", 1, /^There is no connection: neither PlatformConnection "default" in namespace "shop" nor Cluster/],
  ["projects --connection=nowhere", 1, /^PlatformConnection "nowhere" does not exist in namespace "shop"\. Check/],
  ["projects --context=nowhere", 1, /^No cluster can be reached: /],
  ["reconcile web", 64, /^"web" names no object: give kind and name, e\.g\. papp\/api\./],
  ["report -f report.zip", 64, /^-f takes an archive that ends in \.tar\.gz or \.tgz/],
  ["resolve papp/shop", 64, /^Give exactly one of --id UUID, --recreate, --adopt and --proceed\./],
  ["resolve papp/shop --id shop", 64, /^--id takes an id of the platform/],
  ["rollback nothing", 1, /^PlatformApplication "nothing" does not exist/],
  ["secrets set api KEY", 64, /Standard input is a terminal\./],
  ["tree -w -o json", 64, /^--watch takes -o table or wide\.\n\nUsage: /],
])(`"%s" in a cluster without objects exits with %d`, async (line, code, words) => {
  const cluster = await startScriptedCluster(() => 404);
  const options = { isTTY: !line.includes("-f - "), stdin: "A=1\n" };
  expect(await cluster.run(line.split(" "), options)).toEqual(ending(code, "", words));
});

it("the message for a user who may not read a connection names the connection to ask for", async () => {
  const cluster = await startScriptedCluster((_, { pathname }) => (pathname.includes("cluster") ? 403 : 404));
  const words = /^You may not read ClusterPlatformConnection "default", .* to use\. Ask /;
  expect(await cluster.run(["projects"])).toEqual(ending(1, "", words));
});

const lists = ["get", "get papp -o json", "get papp -A", "tree", "tree -o name", "tree -w"];
it.each(lists)("%s fails for a user who may not list any objects", async (line) => {
  const cluster = await startScriptedCluster(() => 403);
  const words = /(^|\n)You may not do this in the cluster: GET \S+: 403 Forbidden\.\n$/;
  expect(await cluster.run(line.split(" "))).toEqual(ending(1, "", words));
});
