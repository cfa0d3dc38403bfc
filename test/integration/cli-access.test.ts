import { beforeAll, beforeEach, describe, expect, it } from "vitest";

import { kubeconfigFor, kubectl } from "../control-plane/access.ts";
import { resource, secret } from "../support/kube/manifests.ts";
import { createCliEnv } from "../support/platform/cli-env.ts";
import { cli, type Ended } from "../support/programs/cli.ts";

const NOW = "2026-11-21T10:00:00Z";
const user = createCliEnv("full");

const failure = (said: string | RegExp, code = 1): unknown => ({
  code,
  stdout: "",
  stderr: expect.stringMatching(
    said instanceof RegExp ? said : `^${said.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}\n`,
  ),
});

const scoped = (name: string, spec: object = {}) =>
  resource("PlatformConnection", name, {
    baseUrl: user.world.simulator.url,
    organizationId: user.world.simulator.organizationId,
    auth: { tokenSecretRef: { name } },
    ...spec,
  });

/** Who called last: the name of the token. */
const principal = () => user.world.calls().at(-1)?.principal;
const oneLine = ({ stderr }: Ended) => expect(stderr.trimEnd().split("\n")).toHaveLength(1);

beforeEach(() => {
  user.world.simulator.sim.faults.clear();
});

describe("which connection is used", () => {
  beforeAll(async () => {
    const { tokens } = user.world.simulator;
    await user.apply(
      secret("reader", { token: tokens.read }),
      scoped("reader"),
      secret("writer", { token: `${tokens.write}\n` }),
      scoped("writer"),
      resource("PlatformProject", "child", { name: "child", connectionRef: { name: "writer" } }),
      resource("PlatformEnvironment", "child", {
        name: "child",
        projectRef: { name: "child" },
        clusterRef: { externalId: user.world.clusterIds[0] },
      }),
    );
    await user.claim("PlatformProject", "child", user.world.projectId);
    await user.claim("PlatformEnvironment", "child", user.world.environmentId);
  });

  it.each([
    ["the namespace's default", ["projects"], "admin"],
    ["the one that is named", ["projects", "--connection=reader"], "read"],
    ["the one that is named with its kind", ["projects", "--connection=pconn/reader"], "read"],
    ["the object's own", ["env-stats", "child"], "write"],
    ["the named one before the object's", ["env-stats", "child", "--connection=reader"], "read"],
  ])("%s", async (_, argv, expected) => {
    expect(await user.run(argv)).toMatchObject({ code: 0, stderr: "" });
    expect(principal()).toBe(expected);
  });

  it("the parent's, for an object that names none", async () => {
    const source = { stdin: '{"helm_repository":{"chart_name":"redis"}}' };
    expect(await user.run(["default-values", "penv/child", "-f", "-"], source)).toMatchObject({ code: 0 });
    expect(principal()).toBe("write");
  });

  it("a cluster-wide one, with the Secret of the operator's namespace", async () => {
    const name = user.namespace;
    await user.apply(
      resource("ClusterPlatformConnection", name, {
        baseUrl: user.world.simulator.url,
        organizationId: user.world.simulator.organizationId,
        auth: { tokenSecretRef: { name: "reader" } },
      }),
    );
    const argv = ["projects", `--connection=cpconn/${name}`];
    try {
      expect(await user.run([...argv, `--operator-namespace=${name}`])).toMatchObject({ code: 0 });
      expect(principal()).toBe("read");
      const elsewhere = await user.run([...argv, "--operator-namespace=default"]);
      expect(elsewhere).toEqual(
        failure(/^Secret "default\/reader", which holds the token of ClusterPlatformConnection/),
      );
    } finally {
      await user.remove("ClusterPlatformConnection", name);
    }
  });
});

describe("what goes wrong is reported in one line", () => {
  const namespace = () => user.namespace;

  it.each<[string, readonly string[], () => string | RegExp, number?]>([
    [
      "no connection of that name",
      ["projects", "--connection=nowhere"],
      () =>
        `PlatformConnection "nowhere" does not exist in namespace "${namespace()}". Check the name, or choose a namespace with -n.`,
    ],
    [
      "no connection at all",
      ["projects", "--namespace=kube-system"],
      () =>
        /^There is no connection: neither PlatformConnection "default" in namespace "kube-system" nor ClusterPlatformConnection "default" exists\./,
    ],
    ["no such object", ["app-status", "papp/nowhere"], () => /^PlatformApplication "nowhere" does not exist/],
    [
      "an object that is not on the platform yet",
      ["app-status", "papp/fresh"],
      () => 'PlatformApplication "fresh" is not on the platform yet. The operator has not seen it yet.',
    ],
    ["no such context", ["projects", "--context=nowhere"], () => /^No cluster can be reached: /],
    [
      "an id that the platform does not know",
      ["app-status", "00000000-0000-4000-8000-00000000dead"],
      () => /^The platform did not find it \(404, /,
    ],
    [
      "only one of mode and provider",
      ["catalog", "--mode=X"],
      () => "--mode and --provider go together: give both or none.",
      64,
    ],
    [
      "no such template",
      ["catalog", "nothing"],
      () => /^The platform lists no template "nothing"\. It has kubernetes-essentials@1\.1\.0, /,
    ],
    ["no such provider", ["regions", "mars"], () => /^The platform has no provider "mars"\. It has /],
  ])("%s", async (_, argv, said, code) => {
    await user.apply(
      resource("PlatformApplication", "fresh", {
        name: "fresh",
        environmentRef: { name: "staging" },
        gitRepository: { url: "https://github.com/acme/web.git" },
      }),
    );
    expect(await user.run(argv)).toEqual(failure(said(), code));
  });

  it.each([
    [
      401,
      /^The platform rejected the token \(401, listProjects: .*\)\. Replace the token in the connection's Secret\.\n$/,
    ],
    [403, /^The token may not do this \(403, /],
    [500, /^The platform failed \(listProjects: .*\)\. Try again later\.\n$/],
    [429, /^The platform asks to slow down\. Try again in \d+ s\.\n$/],
  ])("status %d", async (status, said) => {
    user.world.simulator.sim.faults.add({ answer: { is: "status", status }, count: null });
    const ended = await user.run(["projects"]);
    expect(ended).toEqual(failure(said));
    oneLine(ended);
  });

  it("plain http, unless that is allowed", async () => {
    const flags = user.flags.filter((flag) => flag !== "--allow-insecure-platform");
    expect(await cli(["projects", ...flags])).toEqual(
      failure(/^Nothing was sent \(connect: the base URL is not https\)\. --allow-insecure-platform and /),
    );
    const pinned = await user.run(["projects", "--allowed-platform-hosts=example.com"]);
    expect(pinned).toEqual(failure(/^Nothing was sent \(connect: the host is not in the operator's list/));
  });

  it("a connection that the operator refuses", async () => {
    await user.apply(scoped("refused"), secret("refused", { token: user.world.simulator.tokens.admin }));
    const message = "The operator does not connect to spec.baseUrl: the host is not allowed";
    const ready = { type: "Ready", status: "False", reason: "InvalidSpec", message, lastTransitionTime: NOW };
    await user.patch("PlatformConnection", "refused", { status: { conditions: [ready] } }, "status");
    const before = user.world.calls().length;
    expect(await user.run(["projects", "--connection=refused"])).toEqual(
      failure(`The operator refuses PlatformConnection "${namespace()}/refused": ${message}`),
    );
    expect(user.world.calls()).toHaveLength(before);
  });

  it("a token that is missing", async () => {
    await user.apply(scoped("absent"), secret("empty", { other: "x" }), scoped("empty"));
    const at = (name: string) => user.run(["projects", `--connection=${name}`]);
    expect(await at("absent")).toEqual(
      failure(
        `Secret "${namespace()}/absent", which holds the token of PlatformConnection "${namespace()}/absent", does not exist. Create it with the token under "token".`,
      ),
    );
    expect(await at("empty")).toEqual(failure(/, has no key "token"\. Store the platform's token under it\.\n$/));
  });

  it("git repositories on a connection with the Bearer scheme", async () => {
    await user.apply(scoped("bearer", { auth: { scheme: "Bearer", tokenSecretRef: { name: "default" } } }));
    const ended = await user.run(["repositories", "--connection=bearer"]);
    expect(ended).toEqual(
      failure(/^The platform rejected the token \(401, listGitRepositories: This operation takes an API token/),
    );
  });
});

describe("the rights of the user", () => {
  it("decide: without the right to get the Secret there is no token", async () => {
    const { facts, namespace } = user;
    const inside = (args: readonly string[]) => kubectl(facts, [...args, "-n", namespace]);
    await inside(["create", "serviceaccount", "ann"]);
    await inside(["create", "role", "viewer", "--verb=get", "--resource=platformconnections.platform-operator.io"]);
    await inside(["create", "rolebinding", "viewer", "--role=viewer", `--serviceaccount=${namespace}:ann`]);
    const ann = await kubeconfigFor(facts, namespace, "ann");
    const asAnn = (argv: readonly string[]) => cli([...argv, `--kubeconfig=${ann}`, "--allow-insecure-platform"]);
    const before = user.world.calls().length;

    expect(await asAnn(["projects"])).toEqual(
      failure(
        `You may not read Secret "${namespace}/default", which holds the token of PlatformConnection "${namespace}/default". Commands that query the platform need the right to get that Secret; ask a cluster admin, or choose another connection with --connection.`,
      ),
    );
    expect(await asAnn(["app-status", "papp/api"])).toEqual(failure(/^You may not do this in the cluster: /));
    expect(user.world.calls()).toHaveLength(before);

    await inside(["create", "role", "reader", "--verb=get", "--resource=secrets", "--resource-name=default"]);
    await inside(["create", "rolebinding", "reader", "--role=reader", `--serviceaccount=${namespace}:ann`]);
    await expect.poll(() => asAnn(["projects", "-o", "name"])).toMatchObject({ code: 0, stderr: "" });
  });
});
