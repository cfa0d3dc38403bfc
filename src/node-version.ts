/**
 * Ends the process on a Node that is too old, before anything else is loaded: libraries fail there with errors that do
 * not name the cause. Without new syntax, as it has to run on the Node that it refuses.
 */
const NEEDED = 24;

/** Returns why the process cannot run on a version of Node; undefined where it can. */
export function nodeRefusal(version: string, path: string): string | undefined {
  if (Number(version.split(".")[0]) >= NEEDED) return undefined;
  return `The operator and its kubectl plugin need Node ${NEEDED} or later; this is Node ${version} (${path}).\nInstall Node ${NEEDED}, or put it first on the PATH.\n`;
}

const refusal = nodeRefusal(process.versions.node, process.execPath);
if (refusal !== undefined) {
  process.stderr.write(refusal);
  process.exit(1);
}
