/** The command `check`: checks CRDs, rights, operator and platform, with a remedy for each finding. */
import { pause } from "../../../kube/api/clock.ts";
import { KubeError } from "../../../kube/api/errors.ts";
import { isObject, stringMember } from "../../../kube/api/json.ts";
import { OPERATOR } from "../../../operator/config/rbac.ts";
import { printable } from "../../../text/text.ts";
import type { Cluster } from "../../base/cluster.ts";
import { command } from "../../base/command.ts";
import { EXIT, UsageError } from "../../base/exit.ts";
import { explain } from "../../base/explain.ts";
import { PLATFORM_FLAGS } from "../../base/globals.ts";
import { paintFor, type Io } from "../../base/io.ts";
import { printData } from "../../base/render.ts";
import { checkCrds } from "./crds.ts";
import { failed, ok, type Finding, type Mark } from "./finding.ts";
import { checkOperator } from "./operator.ts";
import { checkConnections, checkObjects, checkPlatform, type Platforms } from "./platform.ts";
import { checkInstaller, checkOperatorRights, checkUser } from "./rights.ts";
import { checkUninstall } from "./uninstall.ts";

export const check = command({
  asks: "platform",
  flags: {
    pre: { is: "switch", about: "only what is needed before the operator is installed" },
    installation: {
      is: "switch",
      about: "only what its installation brings: CRDs, and the operator's lease and rights",
    },
    uninstall: {
      is: "switch",
      about: "only what has to go before it is uninstalled: objects with a finalizer, of all namespaces without -n",
    },
    namespace: PLATFORM_FLAGS.namespace,
    "operator-namespace": PLATFORM_FLAGS["operator-namespace"],
    "service-account": { is: "text", value: "NAME", fallback: OPERATOR, about: "ServiceAccount of the operator" },
    wait: { is: "duration", about: "check again until everything is well, e.g. 2m" },
  },
  formats: ["table", "json", "yaml"],
  details: "The exit code is 1 when something has to be done, 3 when --wait was in vain.",
  run: async ({ cluster: open, access, flags, output, io, tell, host }) => {
    const waitMs = flags.wait ?? 0;
    const part = partOf(flags);
    const cluster = await open();
    const platforms: Platforms = {
      cluster,
      access,
      operatorNamespace: flags["operator-namespace"],
      serviceAccount: flags["service-account"],
      clock: host.clock,
    };
    const interrupt = waitMs > 0 ? host.interrupt() : new AbortController().signal;
    const until = host.clock.monotonic() + waitMs;
    for (;;) {
      const isLast = host.clock.monotonic() >= until || interrupt.aborted;
      const findings =
        part === "uninstall"
          ? await guarded(part, () => checkUninstall(cluster, flags.namespace ?? ""))
          : await checkAll(platforms, part);
      const isWell = findings.every(({ is }) => is !== "failed");
      if (isWell || isLast) {
        await show(findings, output, io);
        if (isWell) return EXIT.ok;
        return waitMs > 0 ? EXIT.timeout : EXIT.failed;
      }
      tell(
        `not yet: ${findings
          .filter(({ is }) => is === "failed")
          .map(({ what }) => what)
          .join(", ")}`,
      );
      await pause(host.clock, AGAIN_MS, interrupt);
    }
  },
});

const AGAIN_MS = 2_000;

/** @throws UsageError for more than one part */
function partOf(flags: { readonly pre: boolean; readonly installation: boolean; readonly uninstall: boolean }) {
  const chosen = [
    ...(flags.pre ? (["before"] as const) : []),
    ...(flags.installation ? (["installation"] as const) : []),
    ...(flags.uninstall ? (["uninstall"] as const) : []),
  ];
  if (chosen.length > 1) throw new UsageError("Say at most one of --pre, --installation and --uninstall.");
  return chosen[0] ?? "all";
}

/**
 * Runs all checks; a check that fails does not stop the others.
 * @param part the requirements of an installation, the installation itself, or everything including the users' objects
 */
export async function checkAll(
  platforms: Platforms,
  part: "before" | "installation" | "all",
): Promise<readonly Finding[]> {
  const { cluster, operatorNamespace, serviceAccount, clock } = platforms;
  const first = await guarded("cluster", () => checkVersion(cluster));
  if (first.some(({ is }) => is === "failed")) return first;
  if (part === "before") return [...first, ...(await guarded("your rights", () => checkInstaller(cluster)))];
  const crds = await guarded("CRDs", () => checkCrds(cluster));
  const operator = [
    ...(await guarded("operator", () => checkOperator(cluster, operatorNamespace, clock))),
    ...(await guarded("operator's rights", () => checkOperatorRights(cluster, operatorNamespace, serviceAccount))),
  ];
  if (part === "installation") return [...first, ...crds, ...operator];
  const user = await guarded("your rights", () => checkUser(cluster));
  return [
    ...first,
    ...crds,
    ...operator,
    ...user,
    ...(await guarded("connections", () => checkConnections(platforms))),
    ...(await guarded("platform", () => checkPlatform(platforms))),
    ...(await guarded("objects", () => checkObjects(platforms))),
  ];
}

/** Runs one check; an error becomes a finding. */
async function guarded(what: string, run: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await run();
  } catch (error) {
    return [failed(what, explain(error).message)];
  }
}

/** The CRDs have selectable fields, which Kubernetes has by default from 1.30 on (KEP-4358). */
const LEAST_MINOR = 30;

async function checkVersion({ client }: Cluster): Promise<readonly Finding[]> {
  const answer = await client.request({ method: "GET", path: "/version" });
  if (!isObject(answer)) throw new KubeError("BadResponse", 200, "GET /version: the answer is no object");
  const version = stringMember(answer, "gitVersion") ?? "";
  const minor = Number(/^\d+/.exec(stringMember(answer, "minor") ?? "")?.[0]);
  if (stringMember(answer, "major") === "1" && minor < LEAST_MINOR) {
    return [failed("cluster", `it runs Kubernetes ${version}; the CRDs need 1.${LEAST_MINOR} or later`)];
  }
  return [ok("cluster", `${client.host}, Kubernetes ${version}`)];
}

const SIGNS: Readonly<Record<Mark, readonly [sign: string, colour: "green" | "red" | "yellow" | "dim"]>> = {
  ok: ["✔", "green"],
  failed: ["✗", "red"],
  unknown: ["?", "yellow"],
  info: ["·", "dim"],
};

async function show(findings: readonly Finding[], output: string, io: Io): Promise<void> {
  if (output === "json" || output === "yaml") {
    await printData(
      { io },
      output,
      findings.map(({ what, is, detail }) => ({ check: what, result: is, detail })),
    );
    return;
  }
  const paint = paintFor(io.stdout);
  const width = Math.max(...findings.map(({ what }) => what.length));
  for (const { what, is, detail } of findings) {
    const [sign, colour] = SIGNS[is];
    const text = is === "info" ? wrapped(printable(detail), width + 4) : printable(detail);
    io.stdout.write(`${paint(colour, sign)} ${what.padEnd(width)}  ${text}\n`);
  }
}

/** The width of lists. */
const COLUMNS = 120;

/** Breaks the text between words, with further lines below the first. */
function wrapped(text: string, indent: number): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    const longer = line === undefined ? word : `${line} ${word}`;
    if (line === undefined || indent + longer.length > COLUMNS) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.join(`\n${" ".repeat(indent)}`);
}
