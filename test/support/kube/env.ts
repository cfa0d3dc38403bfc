import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, inject } from "vitest";

import type { ConnectedClient } from "../../../src/kube/api/client.ts";
import { parseObject } from "../../../src/kube/api/objects.ts";
import { collectionPath, objectPath } from "../../../src/kube/api/paths.ts";
import type { Clock, JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import { kubectl } from "../../control-plane/access.ts";
import { clientAt, createNamespace } from "../env/cluster.ts";
import { THING } from "./things.ts";

interface Given {
  readonly meta?: JsonObject;
  readonly spec?: JsonObject;
}

/**
 * The environment of the integration tests of src/kube: the real API server, the CRD of Things, namespaces. Sets up for
 * a test file, and closes everything after it.
 */
export function kubeEnv() {
  const facts = inject("controlPlane");
  const open: ConnectedClient[] = [];

  const connect = async ({ port, clock }: { readonly port?: number; readonly clock?: Clock }) => {
    const path = port === undefined ? facts.kubeconfigPath : await through(port);
    const client = clientAt(path, "kube-test", clock);
    open.push(client);
    return client;
  };

  const through = async (port: number): Promise<string> => {
    const path = join(await mkdtemp(join(facts.dir, "proxy-")), "kubeconfig");
    const kubeconfig = await readFile(facts.kubeconfigPath, "utf8");
    await writeFile(path, kubeconfig.replaceAll(facts.server, `https://127.0.0.1:${String(port)}`), { mode: 0o600 });
    return path;
  };

  const client = (): ConnectedClient => {
    const [first] = open;
    if (first === undefined) throw new Error("the client is there from beforeAll on");
    return first;
  };

  const asThing = (answer: Parameters<typeof parseObject>[1]): KubeObject => {
    const object = parseObject(THING, answer);
    if (object === undefined) throw new Error("no Thing");
    return object;
  };

  beforeAll(async () => {
    await connect({});
    const crd = join(import.meta.dirname, "../../integration/fixtures/things.yaml");
    await kubectl(facts, ["apply", "-f", crd]);
    await kubectl(facts, ["wait", "--for=condition=Established", "crd/things.test.platform-operator.io"]);
  });

  afterAll(async () => {
    await Promise.all(open.map((each) => each.close()));
  });

  return {
    client,
    /** Another client, through another port (with TLS) or with another clock. */
    connect,
    namespace: (name: string): Promise<void> => createNamespace(client(), name),
    create: async (namespace: string, name: string, { meta = {}, spec = {} }: Given = {}): Promise<KubeObject> =>
      asThing(
        await client().request({
          method: "POST",
          path: collectionPath(THING, namespace),
          body: {
            apiVersion: `${THING.group}/${THING.version}`,
            kind: THING.kind,
            metadata: { name, namespace, ...meta },
            spec,
          },
        }),
      ),
    read: async (namespace: string, name: string): Promise<KubeObject> =>
      asThing(await client().request({ method: "GET", path: objectPath(THING, { namespace, name }) })),
    remove: async (namespace: string, name: string): Promise<void> => {
      await client().request({ method: "DELETE", path: objectPath(THING, { namespace, name }) });
    },
    /** The port of the API server. */
    port: () => Number(new URL(facts.server).port),
  };
}
