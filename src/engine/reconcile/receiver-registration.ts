/**
 * Registers the operator's receiver of webhooks for a connection. It uses the same ledger as every create, in a
 * reconcile of its own after the probe. Its errors are reported in a condition and are no errors of the connection:
 * without deliveries everything works, only later.
 */
import { RESOLVE } from "../../api/names.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import { RECEIVER_TOKEN_LENGTH, receiverKeys, type ReceiverKeys } from "../connections/receiver-keys.ts";
import type { Ports } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import type { ConnectionKind } from "../contract/connection.ts";
import type { ConditionFact, Ms, ReceiverInputs, ReceiverSettings, Report, Why } from "../contract/kind.ts";
import { conditionsOf } from "../contract/status.ts";
import { fingerprintOf } from "../references/values.ts";
import { resolveObject } from "../resolve/resolve.ts";
import type { ReconcileResult } from "../status/build.ts";
import { beginReconcile, type Resolved } from "../status/reconciliation.ts";
import { runSteps } from "../steps/loop.ts";

/** The reconcile of the connection. */
interface Registering {
  readonly ports: Ports;
  readonly kind: Pick<ConnectionKind, "receiver">;
  readonly local: LocalState;
  /** The answers of the API server replace it. */
  object: KubeObject;
}

/**
 * Registers the receiver of a connection that was just probed.
 * @returns the report of the connection, with the result of the registration
 * @throws KubeError
 */
export async function registerReceiver(c: Registering, connection: Connection, report: Report): Promise<Report> {
  const due = connection.nextProbeAt;
  const { conditions, status = {}, again = Infinity } = await register(c, connection);
  // A failed registration may have requested a probe. Only the time that the registration asks for counts.
  connection.nextProbeAt = Math.min(due, c.ports.clock.monotonic() + again);
  return {
    ...report,
    conditions: [...report.conditions, ...conditions],
    status: { ...report.status, ...status },
  };
}

/** What the connection's status reports, and when to reconcile it again, if before the next probe. */
interface Registered {
  readonly conditions: readonly ConditionFact[];
  readonly status?: JsonObject | undefined;
  readonly again?: Ms | undefined;
}

async function register(c: Registering, connection: Connection): Promise<Registered> {
  const { ports, local } = c;
  const { condition, kind } = c.kind.receiver;
  const settings = connection.settings.receiver;
  if (settings === undefined) {
    connection.receiver = undefined;
    return { conditions: [] };
  }
  const soon = Math.min(ports.windows.followMaxMs, ports.windows.backoffMaxMs);
  const reported = (why: Why, holds: boolean): readonly ConditionFact[] => [
    { type: condition, status: holds ? "True" : "False", ...why, message: masked(why.message, connection) },
  ];
  const read = await readKeys(ports, connection, settings);
  if ("reason" in read) return { conditions: reported(read, false), again: soon };
  connection.receiver = read.keys;

  const inputs = inputsOf(c, connection, settings, read);
  const needs = () => ({ references: [], values: [], inputs: () => inputs });
  const r = beginReconcile(ports, { ...kind, needs }, c.object, local);
  const resolved = await resolveObject(r, "present", connection);
  if ("is" in resolved) return { conditions: reported(whyOf(resolved, undefined), false) };
  const stored = conditionsOf(c.object).filter(({ type }) => type === condition);
  // A connection has no status.plan that could be approved.
  const registration: Resolved = { ...resolved, policies: { ...resolved.policies, manual: false } };
  const result = await runSteps(registration);
  c.object = registration.object;
  const { report } = registration;
  const isEnd = result.is === "settled" || result.is === "stalled";
  return {
    conditions: result.is === "deferred" ? stored : reported(whyOf(result, report), result.is === "settled"),
    status: report?.status,
    again: isEnd ? result.again : Math.max(soon, result.again ?? 0),
  };
}

interface Keys {
  readonly keys: ReceiverKeys;
  readonly sources: string;
}

/** Reads the keys from the Secret. @returns the keys, or why there are none */
async function readKeys(
  { operatorNamespace, reader }: Ports,
  { key }: Connection,
  { secret: ref }: ReceiverSettings,
): Promise<Keys | Why> {
  const namespace = key.namespace === "" ? operatorNamespace : key.namespace;
  const secret = await reader.secret(namespace, ref.name, 0);
  const token = secret?.get(ref.key);
  if (secret !== undefined && typeof token === "string" && token.length >= RECEIVER_TOKEN_LENGTH) {
    return { keys: receiverKeys(token, key), sources: `${secret.uid}/${secret.resourceVersion}` };
  }
  const message = `Secret "${ref.name}" in namespace "${namespace}" has no key "${ref.key}" with at least ${String(RECEIVER_TOKEN_LENGTH)} characters of UTF-8 text, which spec.webhook.secretRef refers to. Create it with a long random text.`;
  return { reason: "DependencyNotReady", message };
}

function inputsOf(
  { ports, object }: Registering,
  { key }: Connection,
  settings: ReceiverSettings,
  { keys, sources }: Keys,
): ReceiverInputs {
  const url = `${settings.url.replace(/\/+$/, "")}/${keys.path}`;
  return {
    url,
    secret: keys.secret,
    registered: fingerprintOf({ url }, `${settings.url} ${sources}`, ports.key),
    answer: object.metadata.annotations?.[RESOLVE],
    connection: key,
  };
}

function whyOf(result: ReconcileResult, report: Report | undefined): Why {
  if (result.is === "settled" && report !== undefined) return report.ready;
  return "why" in result ? result.why : { reason: "Progressing", message: "The receiver is not registered yet." };
}

/** Masks the keys: the platform may quote what it was sent. */
function masked(message: string, { receiver }: { readonly receiver: ReceiverKeys | undefined }): string {
  if (receiver === undefined) return message;
  return message.replaceAll(receiver.path, "…").replaceAll(receiver.secret, "…");
}
