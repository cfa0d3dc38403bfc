/**
 * The classes of failure that are tested, by the id that the titles of their tests begin with: what is done to the
 * operator, and what has to hold. scripts/reliability.ts writes docs/reliability.md from them and the runner's report.
 */
interface Section {
  readonly title: string;
  readonly classes: Readonly<Record<string, ReturnType<typeof row>>>;
}

const row = (title: string, acceptance: string) => ({ title, acceptance });

export const SECTIONS: readonly Section[] = [
  {
    title: "Crash, restart, order",
    classes: {
      A1: row(
        "SIGKILL at every call of a lifecycle: before and after it, after its response, and with a late effect",
        "0 duplicates, 0 leaks, 0 double actions; the same final state as without a kill, after at most 5 reconciles of an object that act; then no further calls",
      ),
      A2: row(
        "Crash between a create and its record, landing late, lists lagging",
        "0 duplicates within the landing window; beyond it DuplicateRemote, nothing deleted",
      ),
      A3: row("Ambiguous answer to a create", "result unknown, never failed; 0 duplicates"),
      A4: row("Deploy, stop or upgrade whose answer is lost", "each accepted once per cause"),
      A5: row("Crash within a deletion, deletion in the background", "object gone, 0 orphans"),
      A6: row("Crash loop over many objects", "as A1; one full list per kind and start"),
      A7: row(
        "SIGTERM at every call of a lifecycle",
        "exits within 10 s, lease released, no open intent; 0 duplicates",
      ),
      A8: row("A kind whose code throws", "InternalError on that object only; the process keeps running"),
      P2: row(
        "Two faults in one run: a crash at any two writes, all pairs in all phases; mixed kinds, a seeded sample",
        "as A1 for each pair",
      ),
      M1: row(
        "Model of the ledger, every interleaving up to a depth",
        "at most one effect per intent, no id lost that a read finds, no hang",
      ),
    },
  },
  {
    title: "Cache and watch",
    classes: {
      B1: row("Stale lists and watches", "0 destructive calls"),
      B2: row("The watch delivers the operator's own writes late", "0 second creates"),
      B3: row("States that no watch delivered", "the same final state"),
      B4: row("410 Gone, in every form", "listed again within 2 s, nothing lost"),
      B5: row("A watch that is dead without an error", "noticed within 45 s"),
      B6: row("Watches that close immediately", "at most 20 connections a minute and kind"),
      B7: row("Malformed lines of a watch", "the process keeps running, the next list repairs the cache"),
      B8: row(
        "The API server restarts, or is down for longer than a lease",
        "asked again within 8 s, all watches open; a process that loses the lease exits; 0 duplicates",
      ),
      B9: row("etcd is down, compacted, defragmented", "no status write is lost"),
      B10: row("409 on every write", "read again, no field of another manager overwritten"),
      B11: row("429, 5xx, slow, refused and reset by the API server", "no duplicates"),
      B12: row("CRDs missing, or deleted while it runs", "0 deletions on the platform"),
      B13: row(
        "A namespace is deleted, in hostile order",
        "empty within 60 s; objects under Delete are deleted, no others; events in the operator's namespace",
      ),
      B14: row("Finalizers that wait for each other", "0 stuck"),
      N1: row("Absent resources, records, CRDs or lists", "0 deletions on the platform"),
    },
  },
  {
    title: "The platform's API",
    classes: {
      C1: row("429 with every form of X-RateLimit-Reset", "0 calls before the reset"),
      C2: row("5xx for minutes, 503 half of the time", "at most three times the calls"),
      C3: row("Slow responses, bodies and headers that never end", "canceled at a total deadline"),
      C4: row("Truncated, empty, huge and wrong bodies", "a typed error that shows no content"),
      C5: row("Unknown states and mutated responses", "0 crashes, no action on the unknown"),
      C6: row("Token revoked, with fewer scopes, of another organization", "0 deletions, 0 creations"),
      C7: row("404 for a recorded id", "confirmed by a list before anything is created"),
      C8: row("Both meanings of 409", "adopted with proof only; requeued otherwise"),
      C9: row("Partition, DNS, certificates", "never bypassed, Ready kept until its staleness limit"),
      C10: row("States that go back or never become final", "followed by request id"),
      C11: row("Drift", "at most one correction per poll"),
      C12: row("Secrets that cannot be read back", "written on change only, no unkeyed hash"),
      K1: row(
        "Credentials revoked, rotated, with fewer scopes, or deleted first",
        "0 deletions, 0 second creates, namespaces become empty",
      ),
    },
  },
  {
    title: "Time, leadership, scale",
    classes: {
      D1: row("Clock jumps", "no effect on timers"),
      D2: row("Waits beyond 24.8 days", "clamped, no busy loop"),
      D3: row(
        "Failover by kill, freeze and partition; the lease deleted or edited; the number of shards changed",
        "0 double actions, 0 calls by a process that lost its lease",
      ),
      D4: row("The lease's encoding", "accepted by the API server"),
      D5: row(
        "Thousands of objects",
        "at most one call per idle object and poll; memory and event loop delay are reported without a limit",
      ),
      D6: row(
        "Cardinality of metrics",
        "independent of the number of objects; controller-runtime's histograms alone are hundreds",
      ),
      D7: row("A noisy tenant", "its neighbours are not delayed"),
      D8: row("Minutes of churn; hours with SOAK_MINUTES", "memory and connections do not grow"),
    },
  },
  {
    title: "Identity",
    classes: {
      R1: row(
        "Restored, copied, stripped, re-pointed, re-created, rolled back",
        "0 writes that docs/architecture.md forbids; the limit of mass changes holds",
      ),
    },
  },
  {
    title: "Hostile input",
    classes: {
      E1: row("Path traversal", "0 requests"),
      E2: row("Header injection", "refused without its value"),
      E3: row("Prototype pollution", "none"),
      E4: row(
        "Evil regular expressions",
        "canceled after 50 ms for all patterns of an object; the event loop's delay is reported",
      ),
      E5: row("Huge, deep and strange values", "bounded by the schema, contained"),
      E6: row("Redaction of the log", "0 occurrences"),
      E7: row("Errors that carry content", "code and reason only"),
      E8: row("Requests to inner addresses", "0 bytes sent"),
      E9: row("Secrets of other namespaces", "0 reads"),
      E10: row("Confused deputy", "0 changes of another tenant's objects"),
      E11: row("Forged status and annotations", "0 deletions of another tenant's objects"),
      E12: row("Abuse of the webhook receiver", "refused before parsing; a delivery only causes a read"),
      E13: row("Injection into output", "one record a line, escaped"),
      E14: row("Least privilege", "used equals granted"),
      E15: row("Supply chain", "no install scripts, few dependencies"),
      E16: row(
        "A resource that could stop its kind",
        "InvalidSpec, no request for it; its neighbours are reconciled within 5 s",
      ),
      G1: row(
        "Each leaf of each CRD: valid, boundary, invalid",
        "one call or a listed exception; setting the old value back restores it",
      ),
      S1: row("Secret canaries at level trace", "0 occurrences"),
      S2: row("Flags of Node", "in force"),
      S3: row(
        "Foreign requests to the status page, and hostile text on it",
        "foreign hosts and writes refused; shows no token and no spec; text is escaped",
      ),
      S4: row(
        "Forged entries of the orphan ledger, and namespaces of an old name",
        "no adoption beyond the connection's rules; stalls if the list contradicts the record",
      ),
    },
  },
];
