import { pairsOfCrashes } from "../chaos/in-process/pairs.ts";

pairsOfCrashes("full", { part: 2, of: 2 });
