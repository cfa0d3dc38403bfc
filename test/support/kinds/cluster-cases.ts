/** What is laid over the smallest spec of a cluster, and what of that is refused. */

type Fields = Readonly<Record<string, unknown>>;
type Case = { readonly title: string; readonly change: Fields };

const tokenTo = (members: Fields): Fields => ({ writeTokenSecretToRef: { name: "edge", ...members } });
const SERVER = { server: "https://[::1]:6443/k8s", caBundle: "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==" };

export const CLUSTERS: readonly Case[] = [
  {
    title: "a version",
    change: { kubernetesVersion: "1.34", runState: "Stopped", lifecycle: { deletionPolicy: "Stop" } },
  },
  { title: "a token", change: tokenTo({ readOnly: false }) },
  { title: "a kubeconfig", change: tokenTo(SERVER) },
];

export const REFUSED_CLUSTERS: readonly (Case & { readonly refused: RegExp })[] = [
  { title: "no id", change: { externalId: undefined }, refused: /externalId: Required/ },
  {
    title: "a whole version",
    change: { kubernetesVersion: "1.34.2" },
    refused: /kubernetesVersion.*should match/,
  },
  {
    title: "a server alone",
    change: tokenTo({ server: SERVER.server }),
    refused: /server and caBundle must be set together/,
  },
  {
    title: "a server without TLS",
    change: tokenTo({ ...SERVER, server: "http://a" }),
    refused: /server.*should match/,
  },
  {
    title: "PEM as it is",
    change: tokenTo({ ...SERVER, caBundle: "-----BEGIN" }),
    refused: /caBundle.*should match/,
  },
  {
    title: "deletion policy Delete",
    change: { lifecycle: { deletionPolicy: "Delete" } },
    refused: /deletionPolicy: Unsupported value/,
  },
];
