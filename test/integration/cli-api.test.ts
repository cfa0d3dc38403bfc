import { beforeEach, describe, expect, it } from "vitest";

import { API_OPERATIONS } from "../../src/cli/api.ts";
import { isRead, type DocumentedOperation } from "../../src/platform/codec/operations.ts";
import { COMMIT, NEXT_COMMIT } from "../support/kube/manifests.ts";
import { ending } from "../support/programs/cli.ts";
import { createCliEnv } from "./cli-env.ts";

const user = createCliEnv("documented");
const api = (line: string, stdin?: string) =>
  user.run(["api", ...line.split(" ")], stdin === undefined ? {} : { stdin });
const effects = () => user.world.calls().flatMap((call) => call.effects);

beforeEach(() => {
  user.world.simulator.sim.journal.clear();
});

/** The parameters of each read. */
const READS: Readonly<Record<string, () => string>> = {
  getProjectEnvironmentStats: () => "--param projectId=pproj/shop",
  getHelmDefaultValues: () => "--param environmentId=penv/staging -f -",
  getApplicationStatus: () => "--param applicationId=papp/api",
  getApplicationLog: () => "--param applicationId=papp/api --param tail=3",
  getIngressStatus: () => "--param serviceType=application --param serviceId=papp/api",
  listVariables: () => "--param applicationId=papp/api",
  listSecrets: () => "--param applicationId=papp/api",
  getClusterToken: () => "--param clusterId=production --param read_only=true",
  getClusterMetrics: () => `--param clusterId=${user.world.clusterIds[0]} --param endpoint=query --param query=up`,
  getGcpCredentials: () => `--param credentialsId=${user.world.simulator.credentialsId}`,
};
const NEEDS_A_REQUEST = "getDeploymentStatus";
const reads = Object.keys(API_OPERATIONS).filter(
  (name) => isRead(name as DocumentedOperation) && name !== NEEDS_A_REQUEST,
);

describe("kubectl platform api", () => {
  it("lists the 32 operations of the specification without an argument", async () => {
    const { code, stdout } = await user.run(["api"]);
    const [head, ...rows] = stdout.trimEnd().split("\n");
    expect(code).toBe(0);
    expect(head).toMatch(/^OPERATION +ABOUT +PARAMETERS$/);
    expect(rows).toHaveLength(32);
    expect(rows.filter((row) => row.length > 120)).toEqual([]);
  });

  it.each(reads)("prints the answer of %s as JSON", async (name) => {
    const body = '{"source":{"helm_repository":{"chart_name":"redis"}}}';
    const { code, stdout, stderr } = await api([name, READS[name]?.() ?? ""].join(" ").trim(), body);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(() => void JSON.parse(stdout)).not.toThrow();
  });

  it("prints with -q what a JSONPath selects, a line for each match", async () => {
    const { stdout } = await api("listCloudProviders -q $.results[?@.short_name=='AWS'].name");
    expect(stdout).toBe("Amazon Web Services\n");
    expect((await api("listProjects -q .results[0].id")).stdout).toBe(`${user.world.projectId}\n`);
    expect((await api("listProjects -q $.nothing")).stdout).toBe("");
  });

  it("deploys a commit of the body, and says first which resource stands for the application", async () => {
    const { applicationId } = user.world;
    const body = JSON.stringify({ git_commit_id: NEXT_COMMIT });
    const warning =
      "Warning: papp/api stands for this object. The operator undoes a change of a setting, where the platform can update it,\n" +
      "  and reports what else differs from its spec. Change papp/api instead.\n";
    for (const id of ["papp/api", applicationId]) {
      const ended = await api(`deployApplication --param applicationId=${id} -f - -q $.deployment_request_id`, body);
      expect(ended).toEqual(ending(0, /^[-0-9a-f]{36}\n$/, warning));
      const request = ended.stdout.trim();
      const { stdout } = await api(`${NEEDS_A_REQUEST} --param deploymentRequestId=${request} -q $.status`);
      expect(stdout).toMatch(/^[A-Z_]+\n$/);
    }
    expect(effects()).toMatchObject([{ deployed: applicationId, commit: NEXT_COMMIT }, { deployed: applicationId }]);
  });

  it("sends the parameters of the query as they are", async () => {
    const [cluster] = user.world.clusterIds;
    const words = ["api", "getClusterMetrics", "--param", `clusterId=${cluster}`, "--param", "endpoint=query_range"];
    await user.run([...words, "--param", 'query=sum(rate(x{a="b"}[5m])) & more', "--param", "step=3s"]);
    const { searchParams } = new URL(user.world.calls().at(-1)?.path ?? "", "http://platform");
    expect(Object.fromEntries(searchParams)).toEqual({
      endpoint: "query_range",
      query: 'sum(rate(x{a="b"}[5m])) & more',
      step: "3s",
    });
  });

  it("reports a refusal of the platform, and exits with 1", async () => {
    const body = JSON.stringify({ git_commit_id: COMMIT });
    const missing = "00000000-0000-4000-8000-00000000dead";
    const { code, stderr } = await api(`deployApplication --param applicationId=${missing} -f -`, body);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The platform did not find it \(404, deployApplication: /);
  });

  it("prints nothing on standard output where the platform answers without a body", async () => {
    const { code, stdout } = await api("sendInvoices");
    expect({ code, stdout: stdout.trim() }).toMatchObject({ code: 0 });
    expect(effects()).toEqual([{ mailed: expect.any(String) }]);
  });
});
