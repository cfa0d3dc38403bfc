/** `make olm`: writes the bundle for the Operator Lifecycle Manager to dist/olm. `--image` is the operator's image. */
import { join } from "node:path";
import { parseArgs } from "node:util";

import { writeBundle } from "./olm/index.ts";

const { values } = parseArgs({ options: { image: { type: "string" } } });
await writeBundle(join(import.meta.dirname, "../dist/olm"), values.image);
