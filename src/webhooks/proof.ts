/**
 * What proves a delivery to the receiver: an unguessable path for each resource and, where the platform echoes one, a
 * secret. Both are made with the key of the installation, for one resource, connection and organization: neither tells
 * anything of another's, and a resource that is created again has the same.
 */
import type { Connection } from "../engine/connections/connections.ts";
import { keyText } from "../engine/contract/keys.ts";
import type { Receiver } from "../engine/contract/kind.ts";
import type { InstallationKey } from "../engine/ownership/installation-key.ts";
import type { ObjectKey } from "../kube/api/types.ts";

/** The connection that a resource uses. */
export type Sender = Pick<Connection, "key" | "host" | "settings">;

/** Returns what proves a delivery. @param webhook the PlatformWebhook @param sender its connection */
export function proofOf(
  key: InstallationKey,
  { namespace, name }: Pick<ObjectKey, "namespace" | "name">,
  sender: Sender,
): Omit<Receiver, "url"> {
  const parts = [keyText(sender.key), sender.host, sender.settings.organizationId, namespace, name];
  return {
    path: `${namespace}/${name}/${key.code("receiver-path", parts)}`,
    secret: key.code("receiver-secret", parts),
  };
}

/** What the URLs of the receiver are made of. */
export interface ReceiversOptions {
  /** The base URL at which the platform reaches the receiver; undefined: the operator was started without. */
  readonly webhookUrl: string | undefined;
  readonly key: InstallationKey;
  /** Masks a value in all texts about a namespace. */
  readonly hide: (namespace: string, source: string, value: string) => void;
}

/**
 * Returns the function that tells where the operator receives deliveries for one resource. There is no URL without the
 * operator's flag, nor with a key that ends with the process.
 */
export function receivers({ webhookUrl, key, hide }: ReceiversOptions) {
  return (webhook: ObjectKey, sender: Sender): Receiver => {
    const proof = proofOf(key, webhook, sender);
    const { namespace, name } = webhook;
    hide(namespace, `path of ${name}`, proof.path.slice(proof.path.lastIndexOf("/") + 1));
    hide(namespace, `secret of ${name}`, proof.secret);
    if (webhookUrl === undefined) return { ...proof, url: { reason: "DependencyNotReady", message: NO_URL } };
    if (!key.isStored) return { ...proof, url: { reason: "DependencyNotReady", message: NO_KEY } };
    return { ...proof, url: `${webhookUrl.replace(/\/+$/, "")}/${proof.path}` };
  };
}

const NO_URL =
  "spec.receiver needs the URL at which the platform reaches this operator. Start the operator with the flags --webhook-bind-address and --webhook-url (chart: webhook.enabled and webhook.url), or set spec.targetUrl instead.";
const NO_KEY =
  'spec.receiver needs the key of the installation, which proves deliveries. Give the operator access to the Secret "platform-operator-key" in its namespace, and start it again; its log says what is wrong.';
