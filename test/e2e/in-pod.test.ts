/**
 * The environment of a pod: two variables with the API server's address, and a mounted token behind symbolic links. The
 * operator runs as the image's user with the image's flags, in a separate mount namespace.
 */
import { once } from "node:events";
import { copyFile, cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream";
import { createServer } from "node:tls";

import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";

import { COMMAND, PROGRAM, TOKEN_FOLDER, USER } from "../../scripts/image.ts";
import { startSimulator } from "../../simulator/simulator.ts";
import { OPERATOR } from "../../src/config/names.ts";
import { applyAll, endpointOf, kubectl, tokenFor } from "../control-plane/access.ts";
import type { ControlPlaneFacts } from "../control-plane/control-plane.ts";
import { ownControlPlane } from "../support/env/own-control-plane.ts";
import { defaults } from "../support/kube/manifests.ts";
import { certificate, privateKey } from "../support/kube/tls.ts";
import { prints, type RunningProgram, startProgram } from "../support/programs/programs.ts";
import { newFolder } from "./folder.ts";

/** Only root may create a mount namespace. */
const isRoot = process.getuid?.() === 0;
const cluster = await ownControlPlane();
const folder = await newFolder("in-pod");

describe.runIf(isRoot)("the operator in the environment of a pod", () => {
  beforeAll(async () => {
    await kubectl(cluster, ["apply", "-f", join(import.meta.dirname, "../../deploy/rbac")]);
    await cp(dirname(inject("program")), join(folder, "app"), { recursive: true });
    await copyFile(process.execPath, join(folder, "node"));
    await mountedToken(cluster, join(folder, "token"));
  });

  /** Starts the operator in the pod, until the test ends, and waits until it leads. */
  async function start(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    const { hostname, port } = new URL(cluster.server);
    const [, ...flags] = COMMAND.map((word) => word.replace(PROGRAM, join(folder, "app/operator.js")));
    const run = ["run", "--metrics-bind-address=0", "--health-probe-bind-address=0", ...args];
    // This machine's /run is neither visible nor changed.
    const mounts = `mount -t tmpfs none /run && mkdir -p ${TOKEN_FOLDER} && mount --bind ${folder}/token ${TOKEN_FOLDER}`;
    const user = `--reuid ${USER} --regid ${USER} --clear-groups`;
    const script = `chmod -R go+rX ${folder} && ${mounts} && exec setpriv ${user} "$@"`;
    const operator: RunningProgram = startProgram({
      file: "unshare",
      args: ["--mount", "sh", "-c", script, "sh", join(folder, "node"), ...flags, ...run],
      env: {
        KUBERNETES_SERVICE_HOST: hostname,
        KUBERNETES_SERVICE_PORT: port,
        POD_NAME: "in-pod",
        POD_NAMESPACE: OPERATOR,
        ...env,
      },
    });
    onTestFinished(() => operator.stop());
    await prints(operator, '"message":"leading"');
    return operator;
  }

  it("finds the API server and its token, leads, and exits cleanly", async () => {
    const operator = await start();
    expect(operator.output()).toContain('"instance":"in-pod","namespace":"platform-operator","message":"started"');
    await operator.stop();
    expect(operator.output()).toContain('"result":"clean","message":"stopped"');
    expect(operator.output()).not.toContain('"level":"error"');
  });

  it("trusts a platform's private CA only with NODE_EXTRA_CA_CERTS", async () => {
    const platform = await startSimulator({ surface: "full" });
    onTestFinished(() => platform.close());
    const front = createServer({ cert: certificate, key: privateKey }, (socket) => {
      const upstream = connect(Number(new URL(platform.url).port), "127.0.0.1");
      pipeline(socket, upstream, socket, () => {});
    });
    await once(front.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void front.close());
    const address = front.address();
    const url = `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    await applyAll(cluster, defaults({ platform: { ...platform, url } }));
    const readyAs = async (status: string): Promise<string> => {
      const connection = "platformconnection/default";
      await kubectl(cluster, ["wait", `--for=condition=Ready=${status}`, connection, "--timeout=30s"]);
      const ready = "{.status.conditions[?(@.type=='Ready')]";
      return kubectl(cluster, ["get", connection, `-o=jsonpath=${ready}.reason} ${ready}.message}`]);
    };
    const args = ["--allowed-platform-hosts=127.0.0.0/8"];
    const operator = await start(args);
    expect(await readyAs("False")).toMatch(/^PlatformUnreachable .*SELF_SIGNED_CERT/);
    await operator.stop();
    const file = join(folder, "private-ca.crt");
    await writeFile(file, certificate);
    await start(args, { NODE_EXTRA_CA_CERTS: file });
    expect(await readyAs("True")).toMatch(/^Available/);
  });
});

/** Like the kubelet: files are links through one link to a folder, so that all change at once. */
async function mountedToken(at: ControlPlaneFacts, folder: string): Promise<void> {
  const data = join(folder, "..2026");
  await mkdir(data, { recursive: true });
  const files = {
    token: await tokenFor(at, OPERATOR, OPERATOR),
    "ca.crt": (await endpointOf(at)).ca,
    namespace: OPERATOR,
  };
  await symlink("..2026", join(folder, "..data"));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(data, name), text, { mode: 0o444 });
    await symlink(`..data/${name}`, join(folder, name));
  }
}
