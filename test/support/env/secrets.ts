/** What a stage's operator must never tell, and everywhere that it could have told it. */
import { Buffer } from "node:buffer";

import type { Simulator } from "../../../simulator/simulator.ts";
import { PLAIN_CONNECTION_KEYS } from "../../../src/api/names.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { AuditEvent } from "../../control-plane/audit.ts";
import { findCanaries } from "../hostile/canaries.ts";
import type { Cluster } from "./cluster.ts";
import type { RunningOperator } from "./operator.ts";

/** What is shorter stands in a text by chance. */
const LEAST_LENGTH = 12;
/** Of what the operator keeps in a Secret: its object says it, too. */
const NO_SECRETS: ReadonlySet<string> = new Set(["expirationTimestamp", ...PLAIN_CONNECTION_KEYS]);

/** What a stage leaves behind. */
export interface Remains {
  readonly platform: Pick<Simulator, "tokens" | "sim">;
  /** In which nobody but its operator writes events. */
  readonly namespaces: readonly Cluster[];
  /** What its operators wrote to standard output and standard error. */
  readonly output: readonly string[];
  /** What they showed under /metrics. */
  readonly metrics: readonly string[];
  /** What they asked of the API server, as the audit log has it: without what Secrets and events are sent. */
  readonly requests: readonly AuditEvent[];
}

/** @returns where a token of the platform, or what a Secret of the stage holds, is told, and in which spelling. */
export async function secretsTold(remains: Remains): Promise<readonly string[]> {
  const { namespaces, output, metrics, requests } = remains;
  const events = await Promise.all(namespaces.map((at) => at.list("Event")));
  const asked = requests.map(({ requestURI, requestObject }) => `${requestURI} ${JSON.stringify(requestObject)}`);
  const told = {
    log: output.join("\n"),
    "/metrics": metrics.join("\n"),
    requests: asked.join("\n"),
    events: JSON.stringify(events),
  };
  return findCanaries(told, await secretsOf(remains));
}

/** @returns the secrets, each under a name of its own. */
async function secretsOf({ platform, namespaces }: Remains): Promise<Readonly<Record<string, string>>> {
  const secrets = (await Promise.all(namespaces.map((at) => at.list("Secret")))).flat();
  const held = secrets.flatMap((secret) =>
    Object.entries(member(secret, "data") ?? {})
      .filter(([key]) => !NO_SECRETS.has(key))
      .map(([key, data]) => {
        const value = Buffer.from(String(data), "base64").toString().trim();
        return [`${key} of the Secret ${secret.metadata.name}`, value] as const;
      }),
  );
  const tokens = [
    ...Object.entries(platform.tokens),
    ...platform.sim.auth.tokens().map(({ name, value }) => [name, value] as const),
  ].map(([name, value]) => [`token ${name}`, value] as const);
  return Object.fromEntries([...tokens, ...held].filter(([, value]) => value.length >= LEAST_LENGTH));
}

/** @returns what an operator shows under /metrics, "" when it has ended. */
export async function metricsOf({ metricsUrl }: RunningOperator): Promise<string> {
  const answer = await fetch(`${metricsUrl}/metrics`).catch(() => undefined);
  return (await answer?.text()) ?? "";
}
