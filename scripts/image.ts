/**
 * How the operator is started: the flags of Node (docs/security/supply-chain.md) for the image, the tests and
 * docs/reference/permissions.md, and the paths, the user and the command of the image. Node's "Command-line API"
 * describes each flag.
 */

export interface NodeFlag {
  readonly flag: string;
  /** What the flag prevents. */
  readonly why: string;
}

/** All of them, except those that name files. */
export const NODE_FLAGS: readonly NodeFlag[] = [
  { flag: "--disable-proto=throw", why: "changes of all objects through `__proto__`" },
  { flag: "--disallow-code-generation-from-strings", why: "code from text: `eval` and `new Function` throw" },
  { flag: "--disable-sigusr1", why: "opening the debugger by a signal" },
  { flag: "--report-exclude-env", why: "environment variables in diagnostic reports" },
  {
    flag: "--permission",
    why: "child processes, threads, addons, WASI, the debugger, and files that are not named",
  },
];

/** Settings of V8 about memory and its collector, each measured (docs/project/adr/0012-node-flags.md). */
const MEMORY_FLAGS = [
  "--max-semi-space-size=4",
  "--heap-growing-percent=30",
  "--no-parallel-scavenge",
  "--liftoff-only",
  "--max-old-space-size-percentage=60",
];

/**
 * @param readable absolute files and folders: the program, and the kubeconfig or the ServiceAccount's token
 * @returns the arguments between `node` and the program. The process can write no files.
 */
export function nodeFlags(readable: readonly string[]): readonly string[] {
  return [...NODE_FLAGS.map(({ flag }) => flag), ...MEMORY_FLAGS, ...readable.map((path) => `--allow-fs-read=${path}`)];
}

/**
 * The image's environment variables for glibc's malloc (mallopt(3)): one arena for all threads, and free memory at the
 * end of the heap is returned to the kernel. Otherwise V8's threads keep the memory that they used to compile.
 */
export const MALLOC: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "131072" };

/** Node in the image, copied from the build image. */
export const NODE = "/usr/local/bin/node";
/** The bundle in the image. */
export const PROGRAM = "/app/operator.js";
/** Where the kubelet puts the token of the ServiceAccount (Kubernetes: "Accessing the API from a Pod"). */
export const TOKEN_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";
/** A user id that no user of the node has (distroless: "nonroot"). */
export const USER = 65_532;
/** The image's entry point and the Deployment's command. It needs no PATH and no shell. */
export const COMMAND: readonly string[] = [NODE, ...nodeFlags([PROGRAM, TOKEN_FOLDER]), PROGRAM];
