/** deploy/alertmanager: which receivers a real Alertmanager notifies of which alert, and which alerts it inhibits. */
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";

import { rules } from "../monitoring/rules.ts";
import { comes } from "../support/env/cluster.ts";
import { freePort } from "../support/programs/free-port.ts";
import { listening, startProgram } from "../support/programs/programs.ts";
import { findDebianProgram } from "../tools/debian.ts";
import { newFolder } from "./folder.ts";

const CONFIG = join(import.meta.dirname, "../../deploy/alertmanager/alertmanager.yaml");
const PATIENCE_MS = 60_000;
const Alerts = z.array(
  z.object({
    labels: z.record(z.string(), z.string()),
    receivers: z.array(z.object({ name: z.string() })),
    status: z.object({ state: z.string() }),
  }),
);

const dir = await newFolder("alertmanager");
const port = await freePort();
const alertmanager = startProgram({
  file: await findDebianProgram("prometheus-alertmanager"),
  args: [
    `--config.file=${CONFIG}`,
    `--storage.path=${dir}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--cluster.listen-address=",
    "--log.level=error",
  ],
  // The proxy keeps notifications from the addresses of the example.
  env: { HTTPS_PROXY: "http://127.0.0.1:9" },
});
beforeAll(() => listening(alertmanager, port));
afterAll(() => alertmanager.stop());

const alerts = async (init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}/api/v2/alerts`, init);

type Labels = Readonly<Record<string, string>>;
const IN = { namespace: "ops", job: "platform-operator-metrics" };

/** Raises alerts of one installation. @returns for each its receivers, or "inhibited" */
async function raised(installation: string, ...all: readonly Labels[]): Promise<readonly string[]> {
  const own = { ...IN, job: installation };
  const body = JSON.stringify(all.map((labels) => ({ labels: { severity: "warning", ...labels, ...own } })));
  expect((await alerts({ method: "POST", headers: { "content-type": "application/json" }, body })).status).toBe(200);
  const read = async () => {
    const known = Alerts.parse(await (await alerts()).json()).filter(({ labels }) => labels["job"] === installation);
    const isDone = known.length === all.length && known.every(({ status }) => status.state !== "unprocessed");
    return isDone ? known : undefined;
  };
  const processed = await comes(read, PATIENCE_MS);
  if (processed === undefined) throw new Error("Alertmanager does not process the alerts in time");
  return all.map((labels) => {
    const found = processed.find((one) => Object.entries(labels).every(([name, value]) => one.labels[name] === value));
    if (found?.status.state === "suppressed") return "inhibited";
    return found?.receivers.map(({ name }) => name).join(", ") ?? "unknown";
  });
}

const of = (alertname: string, more: Labels = {}): Labels => ({ alertname, ...more });

it("Alertmanager notifies each team of alerts about its own resources, and the operator's team of all others", async () => {
  const receivers = await raised(
    "routes",
    of("PlatformResourceStalled", { exported_namespace: "shop", kind: "PlatformApplication" }),
    of("PlatformResourceNotReady", { exported_namespace: "shop-previews" }),
    of("PlatformResourceStalled", { exported_namespace: "warehouse", kind: "PlatformApplication" }),
    of("PlatformResourceStalled", { exported_namespace: "elsewhere", kind: "PlatformApplication" }),
    of("PlatformUnexpectedValues", { kind: "PlatformApplication" }),
    of("PlatformConnectionDown", { severity: "critical", kind: "ClusterPlatformConnection", name: "all" }),
  );
  expect(receivers).toEqual(["team-shop", "team-shop", "team-warehouse", "platform-team", "platform-team", "on-call"]);
});

it("Alertmanager notifies of a refused token once, and inhibits its consequences in the same namespace", async () => {
  const shop = { exported_namespace: "shop" };
  const receivers = await raised(
    "token",
    of("PlatformAuthFailing", { ...shop, severity: "critical", kind: "PlatformConnection" }),
    of("PlatformConnectionDown", { ...shop, kind: "PlatformConnection", name: "default" }),
    of("PlatformResourceNotReady", { ...shop, name: "api" }),
    of("PlatformResourceNotReady", { exported_namespace: "warehouse", name: "api" }),
  );
  expect(receivers).toEqual(["team-shop", "inhibited", "inhibited", "team-warehouse"]);
});

it.each([
  ["PlatformOperatorNotOneLeader", "critical", "PlatformOperatorReconcileErrors"],
  ["PlatformApiHeldBack", "warning", "PlatformApplyToCallSlow"],
  ["PlatformOperatorApiServerErrors", "warning", "PlatformOperatorWatchSilent"],
])(
  "Alertmanager notifies of %s (%s) and inhibits %s of the same installation only",
  async (cause, severity, effect) => {
    const names = new Set(rules().map(({ alert }) => alert));
    expect([...names]).toEqual(expect.arrayContaining([cause, effect]));
    const receivers = await raised(cause, of(cause, { severity }), of(effect));
    expect(receivers).toEqual([severity === "critical" ? "on-call" : "platform-team", "inhibited"]);
    expect(await raised(`${cause}-elsewhere`, of(effect))).toEqual(["platform-team"]);
  },
);
