/** The command `version`. */
import { VERSION } from "../operator/config/version.ts";
import { command } from "./base/command.ts";

export const version = command({
  asks: "nothing",
  run: ({ io }) => {
    io.stdout.write(`${VERSION}\n`);
  },
});
