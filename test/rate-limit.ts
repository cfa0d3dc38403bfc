/**
 * How long the operator takes with many new applications on a platform that limits requests, beside the bound of its
 * own number of calls: real control plane, operator as a process, simulated platform.
 * node test/rate-limit.ts [applications] [requests a second]
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { changeSettings } from "../simulator/base/settings.ts";
import type { CallEntry } from "../simulator/request/journal.ts";
import { startSimulator } from "../simulator/simulator.ts";
import { kubeconfigFor, kubectl } from "./control-plane/access.ts";
import { readAudit, serviceAccountUser } from "./control-plane/audit.ts";
import { startControlPlane } from "./control-plane/control-plane.ts";
import { startOperator } from "./support/env/operator.ts";
import { application, environment, project } from "./support/kube/manifests.ts";
import { callsIn } from "./support/platform/change-log.ts";

const applications = Number(process.argv[2] ?? 150);
const limit = Number(process.argv[3] ?? 20);
const WITHIN_MS = 300_000;
/** Namespace and name of its ServiceAccount. */
const OPERATOR = "platform-operator";
const root = join(import.meta.dirname, "..");

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const controlPlane = await startControlPlane({ crdsDir: join(root, "crds") });
const platform = await startSimulator({ surface: "full", speed: 100, seed: "rate limit" });
const apply = async (...objects: readonly object[]): Promise<void> => {
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  await kubectl(controlPlane, ["apply", "--server-side", "-f", "-"], { input });
};
const list = async (kind: string): Promise<readonly string[]> => {
  const ready = '{range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{" "}{end}';
  return (await kubectl(controlPlane, ["get", kind, "-o", `jsonpath=${ready}`])).split(" ").filter(Boolean);
};
await kubectl(controlPlane, ["apply", "-f", join(root, "deploy/rbac")]);
const operator = await startOperator({
  kubeconfig: await kubeconfigFor(controlPlane, OPERATOR, OPERATOR),
  args: ["--allow-insecure-platform", "--allowed-platform-hosts=127.0.0.1"],
});
try {
  const token = { apiVersion: "v1", kind: "Secret", metadata: { name: "default" } };
  const spec = {
    baseUrl: platform.url,
    organizationId: platform.organizationId,
    auth: { tokenSecretRef: { name: "default" } },
  };
  const connection = { apiVersion: "platform-operator.io/v1alpha1", kind: "PlatformConnection" };
  await apply(
    { ...token, stringData: { token: platform.tokens.admin } },
    { ...connection, metadata: { name: "default" }, spec },
    project("shop"),
    environment({ platform }, "live", "shop"),
  );
  while (!(await list("penv")).includes("True")) await sleep(200);
  platform.sim.journal.clear();
  changeSettings(platform.sim.settings, { rate: { limit, windowSeconds: 1, reset: "seconds" } });
  const from = Date.now();
  await apply(...Array.from({ length: applications }, (_none, index) => application(`app-${String(index)}`, "live")));
  let ready = 0;
  while (ready < applications && Date.now() - from < WITHIN_MS) {
    await sleep(500);
    ready = (await list("papp")).filter((status) => status === "True").length;
  }
  const tookMs = Date.now() - from;
  const calls = callsIn(platform.sim.journal.entries);
  const refused = calls.filter(({ status }) => status === 429);
  const late = ({ at }: CallEntry): boolean => Date.parse(at) - from > 10_000;
  const passed = calls.length - refused.length;
  const user = serviceAccountUser(OPERATOR, OPERATOR);
  const audit = (await readAudit(controlPlane.auditLogPath, user)).filter(
    ({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp) >= from,
  );
  const count = (verb: string, resource: string): number =>
    audit.filter((event) => event.verb === verb && event.objectRef?.resource === resource).length;
  const share = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(2)} %`;
  say(`applications        ${String(ready)} of ${String(applications)} Ready after ${(tookMs / 1_000).toFixed(1)} s`);
  say(`bound               ${(passed / limit).toFixed(1)} s for ${String(passed)} calls at ${String(limit)}/s`);
  say(`makespan / bound    ${(tookMs / 1_000 / (passed / limit)).toFixed(2)}`);
  say(`429                 ${String(refused.length)} (${share(refused.length, calls.length)})`);
  say(`429 after 10 s      ${share(refused.filter(late).length, calls.filter(late).length)}`);
  say(`Secret reads        ${String(count("get", "secrets"))}`);
  say(`connection patches  ${String(count("patch", "platformconnections"))}`);
  say(`application patches ${String(count("patch", "platformapplications"))}`);
} finally {
  await operator.stop();
  await platform.close();
  await controlPlane.stop();
}
