/** The process's entry. The commands live in src/cli/. */
import "./node-version.ts";
import { main } from "./cli/index.ts";

// Whoever reads has seen enough, as `head` does: no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

const code = await main(process.argv[1] ?? "", process.argv.slice(2));
// Where pipes are asynchronous, leaving would cut off what is still on its way.
await Promise.all(
  [process.stdout, process.stderr].map((stream) => new Promise<void>((resolve) => stream.write("", () => resolve()))),
);
process.exit(code);
