/** Searches for secret values in all output of an environment's operator. */
import { Buffer } from "node:buffer";

import type { Simulator } from "../../../simulator/simulator.ts";
import { PLAIN_CONNECTION_KEYS } from "../../../src/api/names.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { AuditEvent } from "../../control-plane/audit.ts";
import { findCanaries } from "../hostile/canaries.ts";
import type { Cluster } from "./cluster.ts";
import type { RunningOperator } from "./operator.ts";

/** A shorter value may occur in a text by chance. */
const LEAST_LENGTH = 12;
/** Keys of the operator's Secrets that are not secret: the status has them too. */
const NO_SECRETS: ReadonlySet<string> = new Set(["expirationTimestamp", ...PLAIN_CONNECTION_KEYS]);

/** The output of an environment. */
export interface Remains {
  readonly platform: Pick<Simulator, "tokens" | "sim">;
  /** Namespaces in which only its operator writes events. */
  readonly namespaces: readonly Cluster[];
  /** Standard output and standard error of its operators. */
  readonly output: readonly string[];
  /** Their answers of /metrics. */
  readonly metrics: readonly string[];
  /** Their requests in the audit log, which has no bodies of Secrets and events. */
  readonly requests: readonly AuditEvent[];
}

/** @returns where a token of the platform or a value of a Secret was found, and in which spelling */
export async function secretsTold(remains: Remains): Promise<readonly string[]> {
  const { namespaces, output, metrics, requests } = remains;
  const events = await Promise.all(namespaces.map((at) => at.list("Event")));
  const asked = requests.map(({ requestURI, requestObject }) => `${requestURI} ${JSON.stringify(requestObject)}`);
  const reported = {
    log: output.join("\n"),
    "/metrics": metrics.join("\n"),
    requests: asked.join("\n"),
    events: JSON.stringify(events),
  };
  return findCanaries(reported, await secretsOf(remains));
}

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

/** @returns an operator's answer of /metrics, "" when it has exited */
export async function metricsOf({ metricsUrl }: RunningOperator): Promise<string> {
  const answer = await fetch(`${metricsUrl}/metrics`).catch(() => undefined);
  return (await answer?.text()) ?? "";
}
