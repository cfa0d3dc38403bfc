/** kstatus, which Flux uses to wait: a program around the library, built from the module in test/kstatus. */
import { join } from "node:path";

import { findGoProgram } from "./go-program.ts";

/** @returns the program's path. @throws Error with what is missing (Go) or how the build failed */
export async function findKstatus(): Promise<string> {
  const folder = await findGoProgram({
    name: "kstatus",
    module: "kstatus",
    package: "platform-operator.io/test/kstatus",
    coldSeconds: 30,
  });
  return join(folder, "kstatus");
}
