/** `make sbom`: writes the bill of materials of dist/operator.js beside it. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { billOfMaterials } from "./bill-of-materials.ts";
import { imageFacts } from "./image-build/facts.ts";

const root = dirname(import.meta.dirname);
const file = join(root, "dist/platform-operator.cdx.json");
const read = async (path: string): Promise<unknown> => JSON.parse(await readFile(join(root, path), "utf8"));

const args = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--offline"];
const { stdout } = await promisify(execFile)("npm", args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
const { epoch } = await imageFacts(root, process.env["SOURCE_DATE_EPOCH"]);
const bill = billOfMaterials({
  npmBill: JSON.parse(stdout),
  lock: await read("package-lock.json"),
  sourceMap: await read("dist/operator.js.map"),
  epoch,
});
await writeFile(file, `${JSON.stringify(bill, null, 2)}\n`);
console.log(`${file}: ${bill.components.length} packages`);
