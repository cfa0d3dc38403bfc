import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, inject, onTestFinished } from "vitest";

import { parseObject } from "../../src/kube/api/objects.ts";
import { apiVersionOf, collectionPath } from "../../src/kube/api/paths.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
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
    create: async (namespace: string, name: string): Promise<KubeObject> => {
      const body = { apiVersion: apiVersionOf(THING), kind: THING.kind, metadata: { name, namespace } };
      const path = collectionPath(THING, namespace);
      const created = parseObject(THING, await client.request({ method: "POST", path, body }));
      if (created === undefined) throw new Error("no Thing");
      return created;
    },
  };
}
