/** The operator's entry. The commands live in src/cli/. */
import "./node-version.ts";
import { operatorHost, runOperatorCommand, runProcess } from "./cli/index.ts";
import { run } from "./cli/run.ts";

const argv = process.argv.slice(2);
const [command, ...flags] = argv;
// It parses its flags itself, as they are environment variables, too.
await runProcess(() => (command === "run" ? run(flags, process) : runOperatorCommand(argv, operatorHost(argv))));
