/** The process's entry. The commands live in src/cli/. */
import { main } from "./cli/index.ts";

process.exit(await main(process.argv[1] ?? "", process.argv.slice(2)));
