import { pairsOfFaults } from "../chaos/in-process/pairs.ts";

pairsOfFaults("documented");
