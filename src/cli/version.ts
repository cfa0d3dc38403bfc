/** The command `version`. */
import { VERSION } from "../app/version.ts";
import { command } from "./command.ts";

export const version = command({
  asks: "nothing",
  run: ({ io }) => {
    io.stdout.write(`${VERSION}\n`);
  },
});
