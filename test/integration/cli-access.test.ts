import { beforeAll, describe, expect, it } from "vitest";

import { kubeconfigFor, kubectl } from "../control-plane/access.ts";
import { connection, environment, project, secret } from "../support/kube/manifests.ts";
import { cli, ending } from "../support/programs/cli.ts";
import { createCliEnv } from "./cli-env.ts";

const NOW = "2026-11-21T10:00:00Z";
const user = createCliEnv("full");

const failure = (said: string | RegExp) => ending(1, "", typeof said === "string" ? `${said}\n` : said);

const scoped = (name: string) => connection({ platform: user.world.simulator }, name);

/** Who called last: the name of the token. */
const principal = () => user.world.calls().at(-1)?.principal;

describe("a command that queries the platform", () => {
  beforeAll(async () => {
    const { tokens } = user.world.simulator;
    await user.apply(
      secret("reader", { token: tokens.read }),
      scoped("reader"),
      secret("writer", { token: `${tokens.write}\n` }),
      scoped("writer"),
      project("child", { connectionRef: { name: "writer" } }),
      environment({ platform: user.world.simulator }, "child", "child"),
    );
    await user.claim("PlatformProject", "child", user.world.projectId);
    await user.claim("PlatformEnvironment", "child", user.world.environmentId);
  });

  it.each([
    ["the default connection of the namespace", "listProjects", "admin"],
    ["the connection that --connection names", "listProjects --connection=reader", "read"],
    ["the connection that --connection names with its kind", "listProjects --connection=pconn/reader", "read"],
    [
      "the connection of the object that it is about",
      "getProjectEnvironmentStats --param projectId=pproj/child",
      "write",
    ],
    [
      "the connection that --connection names, before that of the object",
      "getProjectEnvironmentStats --param projectId=pproj/child --connection=reader",
      "read",
    ],
    [
      "the connection of the parent, for an object that names none",
      "getHelmDefaultValues --param environmentId=penv/child -f -",
      "write",
    ],
  ])("uses %s", async (_, line, expected) => {
    const stdin = '{"source":{"helm_repository":{"chart_name":"redis"}}}';
    expect(await user.run(["api", ...line.split(" ")], { stdin })).toMatchObject({ code: 0, stderr: "" });
    expect(principal()).toBe(expected);
  });

  it("uses a ClusterPlatformConnection with the Secret in the operator's namespace", async () => {
    const name = user.namespace;
    const auth = { tokenSecretRef: { name: "reader" } };
    const spec = connection({ platform: user.world.simulator }, name, { auth });
    await user.apply({ ...spec, kind: "ClusterPlatformConnection" });
    const at = (namespace: string) =>
      user.run(["api", "listProjects", `--connection=cpconn/${name}`, `--operator-namespace=${namespace}`]);
    try {
      expect(await at(name)).toMatchObject({ code: 0 });
      expect(principal()).toBe("read");
      expect(await at("default")).toEqual(
        failure(/^Secret "default\/reader", which holds the token of ClusterPlatformConnection/),
      );
    } finally {
      await user.remove("ClusterPlatformConnection", name);
    }
  });
});

describe("a command that cannot query the platform reports the reason in one line", () => {
  const namespace = () => user.namespace;

  it("for a base URL that is not https, unless a flag allows it, and for a host that no flag allows", async () => {
    const flags = user.flags.filter((flag) => flag !== "--allow-insecure-platform");
    expect(await cli(["api", "listProjects", ...flags], { kubectl: user.facts.kubectlPath })).toEqual(
      failure(/^Nothing was sent \(connect: the base URL is not https\)\. --allow-insecure-platform and .*\n$/),
    );
    const pinned = await user.run(["api", "listProjects", "--allowed-platform-hosts=example.com"]);
    expect(pinned).toEqual(failure(/^Nothing was sent \(connect: the host is not in the operator's list/));
  });

  it("for a connection that the operator refuses, and sends no request", async () => {
    await user.apply(scoped("refused"), secret("refused", { token: user.world.simulator.tokens.admin }));
    const message = "The operator does not connect to spec.baseUrl: the host is not allowed";
    const ready = { type: "Ready", status: "False", reason: "InvalidSpec", message, lastTransitionTime: NOW };
    await user.patch("PlatformConnection", "refused", { status: { conditions: [ready] } }, "status");
    const before = user.world.calls().length;
    expect(await user.run(["api", "listProjects", "--connection=refused"])).toEqual(
      failure(`The operator refuses PlatformConnection "${namespace()}/refused": ${message}`),
    );
    expect(user.world.calls()).toHaveLength(before);
  });

  it("for a connection whose Secret, or its key, does not exist", async () => {
    await user.apply(scoped("absent"), secret("empty", { other: "x" }), scoped("empty"));
    const at = (name: string) => user.run(["api", "listProjects", `--connection=${name}`]);
    const held = `"${namespace()}/absent", which holds the token of PlatformConnection "${namespace()}/absent"`;
    expect(await at("absent")).toEqual(
      failure(`Secret ${held}, does not exist. Create it with the token under "token".`),
    );
    expect(await at("empty")).toEqual(failure(/, has no key "token"\. Store the platform's token under it\.\n$/));
  });
});

it("a user without the right to get the connection's Secret can send no request to the platform, until that right is granted", async () => {
  const { facts, namespace } = user;
  const inside = (line: string) => kubectl(facts, [...line.split(" "), "-n", namespace]);
  await inside("create serviceaccount ann");
  await inside("create role viewer --verb=get --resource=platformconnections.platform-operator.io");
  await inside(`create rolebinding viewer --role=viewer --serviceaccount=${namespace}:ann`);
  const ann = await kubeconfigFor(facts, namespace, "ann");
  const asAnn = (...argv: readonly string[]) =>
    cli([...argv, `--kubeconfig=${ann}`, "--allow-insecure-platform"], { kubectl: facts.kubectlPath });
  const before = user.world.calls().length;

  const held = `"${namespace}/default", which holds the token of PlatformConnection "${namespace}/default"`;
  expect(await asAnn("api", "listProjects")).toEqual(
    failure(
      `You may not read Secret ${held}: secrets "default" is forbidden: User "system:serviceaccount:${namespace}:ann" cannot get resource "secrets" in API group "" in the namespace "${namespace}". Commands that query the platform need the right to get that Secret; ask a cluster admin, or choose another connection with --connection.`,
    ),
  );
  const whom = new RegExp(
    `^You may not do this in the cluster: .* User "system:serviceaccount:${namespace}:ann" cannot get `,
  );
  expect(await asAnn("status", "papp/api")).toEqual(failure(whom));
  expect(user.world.calls()).toHaveLength(before);

  await inside("create role reader --verb=get --resource=secrets --resource-name=default");
  await inside(`create rolebinding reader --role=reader --serviceaccount=${namespace}:ann`);
  await expect.poll(() => asAnn("api", "listProjects")).toMatchObject({ code: 0, stderr: "" });
});
