import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, inject, onTestFinished } from "vitest";

import { parseObject } from "../../src/kube/api/objects.ts";
import { apiVersionOf, collectionPath, objectPath } from "../../src/kube/api/paths.ts";
import type { KubeRequest } from "../../src/kube/api/transport.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { kubectl } from "../control-plane/access.ts";
import { clientAt, createNamespace } from "../support/env/cluster.ts";
import { tcpProxy } from "../support/kube/tcp-proxy.ts";
import { THING } from "../support/kube/things.ts";

/**
 * The environment of the integration tests of src/kube: the real API server, the CRD of Things, namespaces. Sets up for
 * a test file, and closes everything after it.
 */
export function kubeEnv() {
  const facts = inject("controlPlane");
  const client = clientAt(facts.kubeconfigPath, "kube-test");

  const request = async (how: KubeRequest): Promise<KubeObject> => {
    const object = parseObject(THING, await client.request(how));
    if (object === undefined) throw new Error("no Thing");
    return object;
  };

  beforeAll(async () => {
    const crd = join(import.meta.dirname, "./fixtures/things.yaml");
    await kubectl(facts, ["apply", "-f", crd]);
    await kubectl(facts, ["wait", "--for=condition=Established", "crd/things.test.platform-operator.io"]);
  });

  afterAll(() => client.close());

  return {
    client: () => client,
    /** Another client, through a proxy (with TLS), until the test ends. */
    proxied: async () => {
      const proxy = await tcpProxy(Number(new URL(facts.server).port));
      const path = join(await mkdtemp(join(facts.dir, "proxy-")), "kubeconfig");
      const kubeconfig = await readFile(facts.kubeconfigPath, "utf8");
      await writeFile(path, kubeconfig.replaceAll(facts.server, `https://127.0.0.1:${proxy.port}`), { mode: 0o600 });
      const through = clientAt(path, "kube-test");
      onTestFinished(async () => {
        await through.close();
        await proxy.stop();
      });
      return { proxy, client: through };
    },
    namespace: (name: string): Promise<void> => createNamespace(client, name),
    create: (namespace: string, name: string, spec: JsonObject = {}) =>
      request({
        method: "POST",
        path: collectionPath(THING, namespace),
        body: { apiVersion: apiVersionOf(THING), kind: THING.kind, metadata: { name, namespace }, spec },
      }),
    read: (namespace: string, name: string): Promise<KubeObject> =>
      request({ method: "GET", path: objectPath(THING, { namespace, name }) }),
    remove: async (namespace: string, name: string): Promise<void> => {
      await client.request({ method: "DELETE", path: objectPath(THING, { namespace, name }) });
    },
  };
}
