import { pairsOfCrashes } from "../chaos/in-process/pairs.ts";

pairsOfCrashes("documented", { part: 1, of: 1 });
