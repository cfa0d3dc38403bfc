/**
 * A kubeconfig (client.authentication.k8s.io is not used: the file is complete) for one cluster and one token. Every
 * value is a JSON string, which YAML takes as it is, whatever is in it.
 * @param cluster.caBundle PEM in base64
 */
export function kubeconfig(cluster: {
  readonly name: string;
  readonly server: string;
  readonly caBundle: string;
  readonly token: string;
}): string {
  const name = JSON.stringify(cluster.name);
  return `apiVersion: v1
kind: Config
clusters:
  - name: ${name}
    cluster:
      server: ${JSON.stringify(cluster.server)}
      certificate-authority-data: ${JSON.stringify(cluster.caBundle)}
users:
  - name: ${name}
    user:
      token: ${JSON.stringify(cluster.token)}
contexts:
  - name: ${name}
    context:
      cluster: ${name}
      user: ${name}
current-context: ${name}
`;
}
