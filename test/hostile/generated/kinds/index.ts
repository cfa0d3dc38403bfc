import { SAMPLES } from "../../../samples/index.ts";

/** The cases of all kinds. */
export const KINDS = Object.values(SAMPLES).map(({ leaves }) => leaves);
