/** The entry of the kubectl plugin. kubectl starts to connect while the rest of the program is loaded. */
import "./node-version.ts";
import { basename } from "node:path";

import { asksCluster, createKubectl } from "./cli/base/kubectl.ts";

const [, program = "", ...words] = process.argv;
// kubectl completes the words of a plugin with a program of this name.
const argv = basename(program).startsWith("kubectl_complete-") ? ["__complete", ...words] : words;
const kubectl = createKubectl({ argv, stderr: process.stderr });
if (asksCluster(argv)) kubectl.start();

const { pluginHost, runPlugin, runProcess } = await import("./cli/index.ts");
await runProcess(() => runPlugin(argv, pluginHost(kubectl)));
