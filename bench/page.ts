/** The results of a run of `make bench`, and docs/project/performance.md, which is built from them. */
import type { Figures } from "./figures.ts";
import type { LimitedFigures } from "./limited.ts";
import type { ManyFigures } from "./many.ts";
import type { Rival, Subject } from "./rig.ts";
import type { TenantsFigures } from "./tenants.ts";

/** The figures of one run; a file of bench/results has them as JSON. */
export interface Results {
  readonly commit: string;
  readonly date: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly nodeFlags: string;
  readonly rounds: number;
  readonly objects: number;
  readonly many: number;
  readonly create: Readonly<Record<Subject, readonly Figures[]>>;
  readonly redeploy: Readonly<Record<Subject, readonly Figures[]>>;
  /** Deletions, each with its request to the platform. */
  readonly deletion: Readonly<Record<Rival, readonly Figures[]>>;
  readonly large: Readonly<Record<Rival, ManyFigures>>;
  readonly limited: Readonly<Record<Rival, LimitedFigures>>;
  /** The same with two connections and a second replica. */
  readonly shared: Readonly<Record<Rival, LimitedFigures>>;
  readonly tenants: Readonly<Record<Rival, readonly TenantsFigures[]>>;
  /** Seconds until that number of applications is Ready, with a connection's default budget and with a large one. */
  readonly budget: { readonly applications: number; readonly ownSeconds: number; readonly largeSeconds: number };
  /** Resident memory with ten objects, in MiB. */
  readonly smallRssMiB: number;
}

type Row = readonly [what: string, operator: string, peer: string, oracle: string, ratio: string];

/** The figures of a phase, with their number of decimal digits. */
const FIGURES: readonly [name: keyof Figures, what: string, digits: number][] = [
  ["cpuMs", "CPU of the controller per object, ms", 2],
  ["apiServerMs", "CPU of the API server per object, ms", 1],
  ["seconds", "until all are Ready, s", 1],
  ["platformCalls", "calls of the platform per object", 2],
  ["kubernetesWrites", "writes of custom resources per object", 2],
  ["kubernetesGets", "GETs of custom resources per object", 2],
  ["events", "events per object", 2],
  ["rssMiB", "resident memory afterwards, MiB", 0],
];

/** The figures of steady edits, with their number of decimal digits. */
const CHURN: readonly [what: string, of: (churn: ManyFigures["churn"]) => number, digits: number][] = [
  ["CPU of the controller per edit, ms", (churn) => churn.cpuMs, 2],
  ["CPU of the API server per edit, ms", (churn) => churn.apiServerMs, 1],
  ["calls of the platform per edit", (churn) => churn.platformCalls, 2],
  ["writes of custom resources per edit", (churn) => churn.kubernetesWrites, 2],
  ["edit → request, p50, ms", (churn) => churn.latency.p50, 0],
  ["edit → request, p99, ms", (churn) => churn.latency.p99, 0],
  ["edits without a request within 5 s", (churn) => churn.latency.missing, 0],
];

/** @returns the page, as Markdown */
export function page(results: Results): string {
  const { commit, date, machine, many, nodeFlags, objects, rounds, versions } = results;
  return [
    "# Performance",
    "",
    "The operator beside a peer, a controller written with controller-runtime for this comparison, and the oracle, a client that sends the minimal requests for the same result, without the records that make them safe to repeat. All use the same CRDs, API server and simulated platform, in one run, in interleaved rounds. The counts come from the audit log of the API server and from the platform, CPU and memory from the kernel.",
    "",
    `Written by \`make bench\` on commit ${commit}, ${date}: ${machine}, Node ${versions["node"] ?? ""}, ${versions["go"] ?? ""}, everything on the same cores; flags of Node beside those of the image: ${nodeFlags === "" ? "none" : `\`${nodeFlags}\``}. The ratio is the figure of the operator divided by that of the peer: below 1 the operator needs less. The raw figures are in [bench/results](../../bench/results).`,
    "",
    "What the peer does not do: it keeps no record before a create (a crash between the request and the write of the id creates twice), reads no ingress, reports no drift, writes about a third of the status, and does not wait until a deleted object is gone from the platform.",
    "",
    "Where the operator needs more, and what was tried for it:",
    "",
    "- The API server: the status of each CRD is atomic, which saves a fifth of a patch. PUT, JSON patch, server-side apply and a CRD without CEL rules or descriptions save nothing that counts. The rest is one write, the record before a create, a status that is three times as large, and an event for each deletion.",
    "- The CPU: a profile is flat. Writing to sockets takes 16 %, Node's own code 14 %, garbage collection 10 %, zod and undici 6 % each; the operator's functions share the rest, none with more than 1 %. The oracle, which sends the requests alone on the same Node, needs about as much as the peer.",
    "- Three rounds of experiments: fewer things (a fifth less memory is allocated per create: values are masked without decoding each text, the memory in a status is parsed once, the echo of a write is not parsed); the collector (a young generation of 16 MiB and a heap without `--heap-growing-percent` save up to a quarter of the CPU of a redeployment and cost 60 MiB: not taken); the sending (a handler of our own for undici's `dispatch` saves 2 % and is not worth its streams, V8 on one thread and its baseline compiler from the first call save nothing).",
    "- The memory: 57 MiB are the pages of Node's program, which all its processes on a node share; the flags of Node bound the rest ([ADR 12](adr/0012-node-flags.md)).",
    "- The edits: operator, API server and platform share the cores, and at twenty edits a second they use all of them, so that an edit waits for a core; more workers change nothing. A redeployment has one call more than the peer's: a look at the application before it deploys.",
    "- A limit of requests: the operator learns it. It doubles its rate until the first 429 and then holds nine tenths of the rate that passed, so that hardly any request is refused afterwards.",
    "",
    `## ${String(objects)} applications, ${rounds === 1 ? "one round" : `${String(rounds)} rounds`}`,
    "",
    ...phase("Create", results.create),
    ...phase("Redeploy", results.redeploy),
    ...phase("Delete", results.deletion),
    `## ${String(many)} settled applications`,
    "",
    ...table(largeRows(results)),
    "## A platform that limits requests",
    "",
    "150 applications are created on a platform that allows 20 requests a second and answers 429 beyond that. The bound is the time that each one's own calls take at exactly that rate.",
    "",
    ...table(limitedRows(results.limited)),
    "The same with the applications divided among two connections that use the same token, while a second replica stands by:",
    "",
    ...table(limitedRows(results.shared)),
    "## Tenants that compete under a limit",
    "",
    "Three namespaces with 90, 9 and 1 percent of the applications are created at once on a platform that limits requests, while a user edits settled applications in a fourth.",
    "",
    ...table(tenantsRows(results)),
    "## Without a configured rate limit",
    "",
    `${String(results.budget.applications)} applications on a platform without a limit: ${results.budget.ownSeconds.toFixed(1)} s if the connection has no \`spec.rateLimit\`, ${results.budget.largeSeconds.toFixed(1)} s with one of 1,000 requests a second. With ten applications the operator uses ${results.smallRssMiB.toFixed(0)} MiB.`,
    "",
  ].join("\n");
}

/** @param by the rounds of each subject; the oracle does not delete */
function phase(title: string, by: Readonly<Partial<Record<Subject, readonly Figures[]>>>): string[] {
  const rows = FIGURES.map(([name, what, digits]): Row => {
    const of = (subject: Subject): Spread => spreadOf(by[subject] ?? [], name);
    const ofPeer = ratio(of("operator").median, of("peer").median);
    return [what, shown(of("operator"), digits), shown(of("peer"), digits), shown(of("oracle"), digits), ofPeer];
  });
  return [`### ${title}`, "", ...table(rows), ...bars(rows.slice(0, 3), title)];
}

interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

function spreadOf(rounds: readonly Figures[], name: keyof Figures): Spread {
  const values = rounds.map((one) => one[name]).toSorted((a, b) => a - b);
  const [low = NaN] = values;
  return { median: values[Math.floor(values.length / 2)] ?? NaN, low, high: values.at(-1) ?? NaN };
}

function shown({ median, low, high }: Spread, digits: number): string {
  if (Number.isNaN(median)) return "–";
  const [from, to] = [low.toFixed(digits), high.toFixed(digits)];
  return from === to ? from : `${median.toFixed(digits)} (${from}–${to})`;
}

function largeRows({ large: { operator, peer } }: Results): readonly Row[] {
  const row = (what: string, own: number | undefined, other: number | undefined, digits: number): Row => [
    what,
    own?.toFixed(digits) ?? "–",
    other?.toFixed(digits) ?? "–",
    "–",
    own === undefined || other === undefined ? "–" : ratio(own, other),
  ];
  return [
    row("edit of a commit → its request, p50, ms", operator.latency.p50, peer.latency.p50, 0),
    row("the same, p99, ms", operator.latency.p99, peer.latency.p99, 0),
    row("edits without a request within 5 s", operator.latency.missing, peer.latency.missing, 0),
    ...CHURN.map(([what, of, digits]) => row(`20 edits a second: ${what}`, of(operator.churn), of(peer.churn), digits)),
    row("reads of the platform per second, idle", operator.idleReadsPerSecond, peer.idleReadsPerSecond, 1),
    row(
      "of them reads of ingresses, per second",
      operator.idleIngressReadsPerSecond,
      peer.idleIngressReadsPerSecond,
      1,
    ),
    row("CPU, idle, percent of a core", operator.idleCpuPercent, peer.idleCpuPercent, 2),
    row("resident memory, MiB", operator.rssMiB, peer.rssMiB, 0),
    row("cold start: CPU in 3 s, ms", operator.startCpuMs, peer.startCpuMs, 0),
    row("cold start: peak memory, MiB", operator.startPeakMiB, peer.startPeakMiB, 0),
    row("cold start: longest wait for /healthz, ms", operator.longestStallMs, peer.longestStallMs, 0),
  ];
}

function limitedRows({ operator, peer }: Results["limited"]): readonly Row[] {
  const row = (what: string, own: number, other: number, digits: number): Row => [
    what,
    own.toFixed(digits),
    other.toFixed(digits),
    "–",
    ratio(own, other),
  ];
  return [
    row("until all are Ready, s", operator.seconds, peer.seconds, 1),
    row("bound at its own calls, s", operator.boundSeconds, peer.boundSeconds, 1),
    row("time / bound", operator.seconds / operator.boundSeconds, peer.seconds / peer.boundSeconds, 2),
    row("answers 429, percent", operator.refusedPercent, peer.refusedPercent, 2),
    row("answers 429 after ten seconds, percent", operator.lateRefusedPercent, peer.lateRefusedPercent, 2),
  ];
}

function tenantsRows({ tenants: { operator, peer } }: Results): readonly Row[] {
  return operator.flatMap((own, index) => {
    const other = peer[index];
    if (other === undefined) return [];
    const row = (what: string, of: (one: TenantsFigures) => number, digits: number): Row => {
      const [operatorValue, peerValue] = [of(own), of(other)];
      return [
        `${String(own.limit)}/s: ${what}`,
        operatorValue.toFixed(digits),
        peerValue.toFixed(digits),
        "–",
        ratio(operatorValue, peerValue),
      ];
    };
    return [
      row("time / bound", ({ seconds, boundSeconds }) => seconds / boundSeconds, 2),
      row("answers 429 after ten seconds, percent", (one) => one.lateRefusedPercent, 2),
      row("Jain's index", ({ jain }) => jain, 2),
      row("edit → request, p50, ms", (one) => one.edit.p50, 0),
      row("edit → request, longest, ms", (one) => one.edit.longest, 0),
      row("edits without a request", (one) => one.edit.missing, 0),
    ];
  });
}

function ratio(own: number, other: number): string {
  return other === 0 ? "–" : (own / other).toFixed(2);
}

function table(rows: readonly Row[]): string[] {
  return [
    "| figure | operator | peer | oracle | ratio |",
    "|---|--:|--:|--:|--:|",
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
    "",
  ];
}

/** A bar chart that GitHub draws (Mermaid): the operator's ratio to the peer. */
function bars(rows: readonly Row[], title: string): string[] {
  const names = rows.map(([what]) => `"${what.split(",")[0] ?? what}"`).join(", ");
  return [
    "```mermaid",
    "xychart-beta",
    `  title "${title}: operator / peer"`,
    `  x-axis [${names}]`,
    '  y-axis "ratio"',
    `  bar [${rows.map((row) => row[4]).join(", ")}]`,
    "```",
    "",
  ];
}
