import { pairsOfFaults } from "../chaos/in-process/pairs.ts";

pairsOfFaults("full");
