/** The command `check`: checks CRDs, rights, operator and platform, with a remedy for each finding. */
import { abortableSleep } from "../../../kube/api/clock.ts";
import type { Call } from "../../base/call.ts";
import { EXIT, UsageError } from "../../base/exit.ts";
import { explain } from "../../base/explain.ts";
import { failed, printFindings, type CheckContext, type Finding } from "./finding.ts";
import {
  checkCrds,
  checkInstallationKey,
  checkOperator,
  checkReleases,
  checkServerVersion,
  checkUninstall,
} from "./installation.ts";
import { checkConnections, checkObjects, checkPlatform } from "./platform.ts";
import { checkInstaller, checkOperatorRights, checkUser, checkWatchedNamespaces } from "./rights.ts";

interface CheckOptions extends Readonly<Partial<Record<(typeof PARTS)[number], boolean>>> {
  readonly serviceAccount: string;
  /** Milliseconds. */
  readonly wait?: number | undefined;
}

/** @returns EXIT.failed if a check fails, EXIT.timeout if one still fails after the wait */
export async function checkCommand(call: Call, options: CheckOptions): Promise<number> {
  const { access, report, shared } = call;
  const { clock } = call.host;
  const waitMs = options.wait ?? 0;
  const part = partOf(options);
  const cluster = await call.cluster();
  const context: CheckContext = {
    cluster,
    access,
    namespace: cluster.isNamespaceGiven ? cluster.namespace : "",
    operatorNamespace: shared.operatorNamespace,
    serviceAccount: options.serviceAccount,
    clock,
  };
  const interrupt = waitMs > 0 ? call.host.interrupt() : new AbortController().signal;
  const until = clock.monotonic() + waitMs;
  for (;;) {
    const isLast = clock.monotonic() >= until;
    const findings = await runChecks(context, part);
    const open = findings.filter(({ is }) => is === "failed");
    if (open.length > 0 && !isLast) {
      report(`not yet: ${open.map(({ what }) => what).join(", ")}`);
      if (await abortableSleep(clock, RETRY_MS, interrupt)) continue;
    }
    await printFindings(call, findings);
    if (open.length === 0) return EXIT.ok;
    if (!isLast) return EXIT.interrupted;
    return waitMs > 0 ? EXIT.timeout : EXIT.failed;
  }
}

const RETRY_MS = 2_000;

/** The parts that a flag chooses. */
const PARTS = ["pre", "installation", "uninstall"] as const;

type Part = (typeof PARTS)[number] | "all";

/** @throws UsageError for more than one part */
function partOf(options: CheckOptions): Part {
  const [part = "all", ...more] = PARTS.filter((name) => options[name] === true);
  if (more.length > 0) throw new UsageError("Give at most one of --pre, --installation and --uninstall.");
  return part;
}

interface Check {
  /** The subject of the finding when the check itself fails. */
  readonly what: string;
  /** The parts that it belongs to. */
  readonly parts: readonly Part[];
  readonly run: (context: CheckContext) => Promise<readonly Finding[]>;
}

/** In the order in which they run. */
const CHECKS: readonly Check[] = [
  { what: "uninstall", parts: ["uninstall"], run: ({ cluster, namespace }) => checkUninstall(cluster, namespace) },
  { what: "cluster", parts: ["pre", "installation", "all"], run: ({ cluster }) => checkServerVersion(cluster) },
  { what: "your rights", parts: ["pre"], run: ({ cluster }) => checkInstaller(cluster) },
  { what: "CRDs", parts: ["installation", "all"], run: ({ cluster }) => checkCrds(cluster) },
  { what: "operator", parts: ["installation", "all"], run: checkOperator },
  { what: "other releases", parts: ["installation", "all"], run: checkReleases },
  { what: "installation key", parts: ["installation", "all"], run: checkInstallationKey },
  { what: "operator's rights", parts: ["installation", "all"], run: checkOperatorRights },
  { what: "watched namespaces", parts: ["installation", "all"], run: checkWatchedNamespaces },
  { what: "your rights", parts: ["all"], run: ({ cluster }) => checkUser(cluster) },
  { what: "connections", parts: ["all"], run: ({ cluster }) => checkConnections(cluster) },
  { what: "platform", parts: ["all"], run: checkPlatform },
  { what: "objects", parts: ["all"], run: ({ cluster }) => checkObjects(cluster) },
];

/**
 * Runs the checks of a part.
 * @returns their findings. A check that fails does not stop the next check, except the check of the cluster
 */
export async function runChecks(context: CheckContext, part: Part): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { what, parts, run } of CHECKS) {
    if (!parts.includes(part)) continue;
    const found = await run(context).catch((error: unknown) => [failed(what, explain(error).message)]);
    findings.push(...found);
    if (what === "cluster" && found.some(({ is }) => is === "failed")) break;
  }
  return findings;
}
