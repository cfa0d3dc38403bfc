import type { KindName } from "../../src/kinds/index.ts";
import { SAMPLES } from "../samples/index.ts";
import { kindContract, policyContract } from "../support/kinds/contract.ts";

for (const [kind, sample] of Object.entries(SAMPLES)) {
  kindContract(kind as KindName, sample);
  policyContract(kind as KindName, sample);
}
