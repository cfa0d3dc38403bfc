import { SAMPLES } from "../../../samples/index.ts";

/** The seeds and tables of all kinds. */
export const KINDS = Object.values(SAMPLES).map(({ leaves }) => leaves);
