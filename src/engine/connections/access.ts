/** What a connection reads from Secrets and ConfigMaps before it calls the platform (docs/project/architecture.md §10). */
import { X509Certificate } from "node:crypto";

import type { KeyValues } from "../../kube/api/types.ts";
import type { Reader } from "../../kube/watch/readers.ts";
import type { ConnectionSettings, NetworkAccess, WaySettings } from "../contract/connection.ts";
import type { Ms, StatusReason } from "../contract/kind.ts";
import { closedType } from "./secrets.ts";

export interface ConnectionAccess {
  readonly token: string;
  readonly network: NetworkAccess;
}

/** Where a connection's Secrets and ConfigMaps are read. */
export interface AccessSource {
  readonly reader: Reader;
  readonly namespace: string;
  /** The age at which a read value is read again; 0 reads it now. */
  readonly maxAgeMs: Ms;
}

/**
 * Reads the token, the proxy's credentials and the certificates of a connection.
 * @param known the last result: unchanged certificates are not checked again
 * @returns the access, or why it cannot be used and what to do about it
 * @throws KubeError
 */
export async function readAccess(
  source: AccessSource,
  settings: ConnectionSettings,
  known?: ConnectionAccess,
): Promise<ConnectionAccess | StatusReason> {
  const token = await readToken(source, settings);
  if (typeof token !== "string") return token;
  const network = await readNetwork(source, settings, known?.network);
  return "reason" in network ? network : { token, network };
}

/** Reads the proxy's credentials and the certificates, but not the token. @throws KubeError */
export async function readNetwork(
  source: AccessSource,
  settings: WaySettings,
  known?: NetworkAccess,
): Promise<NetworkAccess | StatusReason> {
  const proxyCredentials = await readCredentials(source, settings.proxy?.secretName);
  if (typeof proxyCredentials === "object") return proxyCredentials;
  const ca = await readCertificates(source, settings.caBundle);
  if (typeof ca === "object") return ca;
  const problem = ca === undefined || ca === known?.ca ? undefined : certificateProblem(ca);
  if (problem === undefined) return { proxyCredentials, ca };
  const configMap = settings.caBundle?.configMap;
  if (configMap !== undefined) return unusable(source.namespace, configMap, problem);
  return { reason: "InvalidSpec", message: `spec.caBundle.pem ${problem}.` };
}

async function readToken(
  { reader, namespace, maxAgeMs }: AccessSource,
  settings: ConnectionSettings,
): Promise<string | StatusReason> {
  const { name, key } = settings.tokenSecret;
  const secret = await reader.secret(namespace, name, maxAgeMs);
  const closed = closedSecret(namespace, name, secret, "spec.auth.tokenSecretRef");
  if (closed !== undefined) return closed;
  const token = secret?.get(key);
  if (typeof token === "string" && token !== "") return token;
  const message = `Secret "${name}" in namespace "${namespace}" ${tokenProblem(secret, key)}`;
  return { reason: "CredentialsMissing", message };
}

/** @returns why a Secret that the field refers to may not be read; undefined if it may */
function closedSecret(
  namespace: string,
  name: string,
  secret: KeyValues | undefined,
  field: string,
): StatusReason | undefined {
  const closed = secret && closedType(secret);
  if (closed === undefined) return undefined;
  const message = `Secret "${name}" in namespace "${namespace}" ${closed}, but ${field} refers to it. Use another Secret.`;
  return { reason: "SecretNotAllowed", message };
}

function tokenProblem(secret: KeyValues | undefined, key: string): string {
  if (secret === undefined) return `does not exist. Create it with the platform's token under the key "${key}".`;
  const problem =
    secret.get(key) === null
      ? `has a value under the key "${key}" that ${NOT_TEXT}`
      : `has no key "${key}", or it is empty`;
  return `${problem}. Set it to the platform's token.`;
}

const NOT_TEXT = "is not UTF-8 text";

/** @returns "user:password", or why there is none; undefined where the settings name no Secret */
async function readCredentials(
  { reader, namespace, maxAgeMs }: AccessSource,
  name: string | undefined,
): Promise<string | StatusReason | undefined> {
  if (name === undefined) return undefined;
  const secret = await reader.secret(namespace, name, maxAgeMs);
  const closed = closedSecret(namespace, name, secret, "spec.proxy.secretRef");
  if (closed !== undefined) return closed;
  const [user, password] = [secret?.get("username"), secret?.get("password")];
  // RFC 7617 §2: the first colon ends the user name.
  if (typeof user === "string" && user !== "" && !user.includes(":") && typeof password === "string")
    return `${user}:${password}`;
  const what = secret === undefined ? "does not exist" : credentialsProblem(user, password);
  const message = `Secret "${name}" in namespace "${namespace}" ${what}, but spec.proxy.secretRef refers to it. It needs the keys "username" and "password" of the proxy.`;
  return { reason: "CredentialsMissing", message };
}

function credentialsProblem(user: string | null | undefined, password: string | null | undefined): string {
  if (user === null || password === null)
    return `has a value under the key "${user === null ? "username" : "password"}" that ${NOT_TEXT}`;
  if (user === undefined || user === "") return 'has no key "username", or it is empty';
  return user.includes(":") ? 'has a colon under the key "username"' : 'has no key "password"';
}

type CaBundle = ConnectionSettings["caBundle"];

/** @returns the text that should hold certificates, or why there is none; undefined where Node's own are used */
async function readCertificates(
  { reader, namespace, maxAgeMs }: AccessSource,
  bundle: CaBundle,
): Promise<string | StatusReason | undefined> {
  if (bundle?.configMap === undefined) return bundle?.pem;
  const { name, key } = bundle.configMap;
  const object: KeyValues | undefined = await reader.configMap(namespace, name, maxAgeMs);
  const text = object?.get(key);
  if (typeof text === "string") return text;
  if (text === null) return unusable(namespace, { name, key }, NOT_TEXT);
  const what = object === undefined ? "does not exist" : `has no key "${key}"`;
  const message = `ConfigMap "${name}" in namespace "${namespace}" ${what}, but spec.caBundle.configMapKeyRef refers to it. Create it with the certificates in PEM, or fix the reference.`;
  return { reason: "DependencyNotReady", message };
}

/** @returns what is wrong with a text that has to have certificates in PEM (RFC 7468 §5); undefined if it is valid */
function certificateProblem(pem: string): string | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? [];
  if (blocks.length === 0) return "has no certificate in PEM (-----BEGIN CERTIFICATE-----)";
  const wrong = blocks.findIndex((block) => !isCertificate(block));
  return wrong === -1 ? undefined : `has a certificate that cannot be read, number ${wrong + 1} of ${blocks.length}`;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function unusable(
  namespace: string,
  { name, key }: { readonly name: string; readonly key: string },
  problem: string,
): StatusReason {
  const message = `Key "${key}" of ConfigMap "${name}" in namespace "${namespace}", which spec.caBundle.configMapKeyRef refers to, ${problem}.`;
  return { reason: "DependencyNotReady", message };
}
