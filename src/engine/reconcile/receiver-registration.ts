/**
 * Registers the operator's receiver of webhooks for a connection. It uses the same ledger as every create, in a
 * reconcile of its own after the probe. Its errors are reported in a condition and are no errors of the connection:
 * without deliveries everything works, only later.
 */
import { EXTERNAL_ID, INSTALLATION, INTENT, RESOLVE, SEAL } from "../../api/names.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import { RECEIVER_TOKEN_LENGTH, receiverKeys, type ReceiverKeys } from "../connections/receiver-keys.ts";
import type { Ports } from "../context/context.ts";
import type {
  ConditionFact,
  ReceiverRegistration,
  Ms,
  ReceiverInputs,
  ReceiverSettings,
  Report,
  Why,
  KindTypes,
  ReceiverTypes,
} from "../contract/kind.ts";
import { conditionsOf } from "../contract/status.ts";
import { isForeign } from "../ledger/identity.ts";
import { fingerprint } from "../references/values.ts";
import type { Reconciliation } from "../resolve/frame.ts";
import type { Result } from "../status/build.ts";
import { runSteps } from "../steps/loop.ts";

/**
 * The result of a registration: what the connection's status reports, and when to reconcile it again, if before the
 * next probe.
 */
export interface Ran {
  readonly object: KubeObject;
  readonly conditions: readonly ConditionFact[];
  readonly status: JsonObject;
  readonly again: Ms | undefined;
}

/** Registers the receiver of a connection that was just probed. @throws KubeError */
export async function registerReceiver<K extends KindTypes>(
  ports: Ports<K["api"]>,
  receiverRegistration: ReceiverRegistration<K>,
  probed: Reconciliation<K>,
): Promise<Ran> {
  const { connection, object } = probed;
  const settings = connection.settings.receiver;
  if (settings === undefined) {
    connection.receiver = undefined;
    return { object, conditions: [], status: {}, again: undefined };
  }
  const soon = Math.min(ports.windows.followMaxMs, ports.windows.backoffMaxMs);
  const told = (why: Why, holds: boolean): readonly ConditionFact[] => {
    const { condition } = receiverRegistration;
    return [{ type: condition, status: holds ? "True" : "False", ...why, message: masked(why.message, connection) }];
  };
  const read = await readKeys(ports, probed, settings);
  if (read.is === "missing") return { object, conditions: told(read.why, false), status: {}, again: soon };
  connection.receiver = read.keys;
  const foreign = isForeign(ports, object);
  if (foreign !== undefined) return { object, conditions: told(foreign, false), status: {}, again: undefined };

  const passed = await runSteps<ReceiverTypes<K>>(
    ports,
    receiverRegistration.kind,
    await frameOf(ports, probed, settings, read),
  );
  const { result, report } = passed;
  const stored = conditionsOf(object).filter(({ type }) => type === receiverRegistration.condition);
  return {
    object: passed.frame.object,
    conditions: result.is === "deferred" ? stored : told(whyOf(result, report), result.is === "settled"),
    status: report?.status ?? {},
    again: result.is === "settled" || result.is === "stalled" ? passed.again : Math.max(soon, passed.again ?? 0),
  };
}

type Keys = { readonly is: "found"; readonly keys: ReceiverKeys; readonly sources: string };

/** Reads the keys from the Secret. The receiver uses them from then on. */
async function readKeys<K extends KindTypes>(
  ports: Ports<K["api"]>,
  { connection }: Reconciliation<K>,
  { secret: ref }: ReceiverSettings,
): Promise<Keys | { readonly is: "missing"; readonly why: Why }> {
  const namespace = connection.key.namespace === "" ? ports.operatorNamespace : connection.key.namespace;
  const secret = await ports.reader.secret(namespace, ref.name, 0);
  const token = secret?.data.get(ref.key);
  if (secret !== undefined && token !== undefined && token.length >= RECEIVER_TOKEN_LENGTH) {
    const sources = `${secret.uid}/${secret.resourceVersion}`;
    return { is: "found", keys: receiverKeys(token, connection.key), sources };
  }
  const message = `Secret "${ref.name}" in namespace "${namespace}" has no key "${ref.key}" with at least ${String(RECEIVER_TOKEN_LENGTH)} characters, which spec.webhook.secretRef refers to. Create it with a long random text.`;
  return { is: "missing", why: { reason: "DependencyNotReady", message } };
}

/**
 * Returns the state of the registration's own reconcile. The user's request for another registration counts once, and
 * is withdrawn before it is carried out.
 */
async function frameOf<K extends KindTypes>(
  ports: Ports<K["api"]>,
  probed: Reconciliation<K>,
  settings: ReceiverSettings,
  { keys, sources }: Keys,
): Promise<Reconciliation<ReceiverTypes<K>>> {
  const { connection } = probed;
  const annotations = probed.object.metadata.annotations ?? {};
  // With an open intent the ledger acts upon that annotation.
  const anew = annotations[RESOLVE] === "recreate" && annotations[INTENT] === undefined;
  const cleared = { [EXTERNAL_ID]: null, [SEAL]: null, [INSTALLATION]: null, [RESOLVE]: null };
  const stored = anew ? await ports.writer.patchChecked(probed.object, { annotations: cleared }) : undefined;
  const url = `${settings.url.replace(/\/+$/, "")}/${keys.path}`;
  const inputs: ReceiverInputs = {
    url,
    secret: keys.secret,
    registered: fingerprint({ url }, `${settings.url} ${sources}`, connection.token()),
    anew,
  };
  return {
    ...probed,
    object: stored ?? probed.object,
    // A connection has no status.plan that could be approved.
    policies: { ...probed.policies, manual: false },
    context: { ...probed.context, inputs },
  };
}

function whyOf(result: Result, report: Report | undefined): Why {
  if (result.is === "settled" && report !== undefined) return report.ready;
  return "why" in result ? result.why : { reason: "Progressing", message: "The errand has not been run yet." };
}

/** Masks the keys: the platform may quote what it was sent. */
function masked(message: string, { receiver }: { readonly receiver: ReceiverKeys | undefined }): string {
  if (receiver === undefined) return message;
  return message.replaceAll(receiver.path, "…").replaceAll(receiver.secret, "…");
}
