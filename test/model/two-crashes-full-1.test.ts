import { pairsOfCrashes } from "../chaos/in-process/pairs.ts";

pairsOfCrashes("full", { part: 1, of: 2 });
