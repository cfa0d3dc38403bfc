/**
 * The flags of Node that the operator runs under (docs/security/supply-chain.md): the one list, for the image, for the
 * tests and for docs/reference/permissions.md. Each is described in "Command-line API" of Node's documentation.
 */

export interface NodeFlag {
  readonly flag: string;
  /** What the process cannot do any more. */
  readonly why: string;
}

/** All of them but those that name files. */
export const NODE_FLAGS: readonly NodeFlag[] = [
  { flag: "--disable-proto=throw", why: "no write through `__proto__` changes what all objects inherit" },
  { flag: "--disallow-code-generation-from-strings", why: "no text becomes code: `eval` and `new Function` throw" },
  { flag: "--disable-sigusr1", why: "no signal opens the debugger" },
  { flag: "--report-exclude-env", why: "no diagnostic report holds the environment" },
  {
    flag: "--permission",
    why: "no child process, thread, addon, WASI or debugger, and no file but those that are named",
  },
];

/**
 * @param readable files and folders, absolute: the program, and where the kubeconfig or the ServiceAccount's token
 * lies.
 * @returns the command line between `node` and the program. Nothing can be written.
 */
export function nodeFlags(readable: readonly string[]): readonly string[] {
  return [...NODE_FLAGS.map(({ flag }) => flag), ...readable.map((path) => `--allow-fs-read=${path}`)];
}
