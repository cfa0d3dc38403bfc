/** OLM's validation of a bundle: a program around its libraries, built from the module in test/olm. */
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

import { findGoProgram } from "./go-program.ts";

const API = "github.com/operator-framework/api";
const CRD = "crds/operators.coreos.com_clusterserviceversions.yaml";

/**
 * @returns the program, and the folder with OLM's CRD of ClusterServiceVersion
 * @throws Error with what is missing (Go) or how the build failed
 */
export async function findBundleValidator() {
  const folder = await findGoProgram({
    name: "olm-bundle",
    module: "olm",
    package: "platform-operator.io/test/olm",
    coldSeconds: 150,
    addFiles: async (into, go) => {
      const module = (await go(["list", "-m", "-f", "{{.Dir}}", API])).trim();
      await mkdir(join(into, "crds"));
      await copyFile(join(module, CRD), join(into, CRD));
    },
  });
  return { program: join(folder, "olm-bundle"), crds: join(folder, "crds") };
}
