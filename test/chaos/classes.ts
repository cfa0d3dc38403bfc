/**
 * The classes of failure that are tested, by the id that the titles of their tests begin with: what is done to the
 * operator, and what has to hold. scripts/reliability.ts writes docs/reliability.md from them and the runner's report.
 */
export interface Class {
  readonly title: string;
  readonly acceptance: string;
}

interface Section {
  readonly title: string;
  readonly classes: Readonly<Record<string, Class>>;
}

export const SECTIONS: readonly Section[] = [
  {
    title: "Crash, restart, order",
    classes: {
      A1: {
        title: "SIGKILL at every call of a lifecycle: before and after it, after its response, and with a late effect",
        acceptance:
          "0 duplicates, 0 leaks, 0 double actions; the same final state as without a kill, after at most 5 reconciles of an object that act; then no further calls",
      },
      A2: {
        title: "Crash between a create and its record, landing late, lists lagging",
        acceptance: "0 duplicates within the landing window; beyond it DuplicateRemote, nothing deleted",
      },
      A3: { title: "Ambiguous answer to a create", acceptance: "result unknown, never failed; 0 duplicates" },
      A4: {
        title: "Deploy, stop or upgrade whose answer is lost",
        acceptance: "each accepted once per cause",
      },
      A5: { title: "Crash within a deletion, deletion in the background", acceptance: "object gone, 0 orphans" },
      A6: {
        title: "Crash loop over many objects",
        acceptance: "as A1; one full list per kind and start",
      },
      A7: {
        title: "SIGTERM at every call of a lifecycle",
        acceptance: "exits within 10 s, lease released, no open intent; 0 duplicates",
      },
      A8: {
        title: "A kind whose code throws",
        acceptance: "InternalError on that object only; the process keeps running",
      },
      P2: {
        title:
          "Two faults in one run: a crash at any two writes, all pairs in all phases; mixed kinds, a seeded sample",
        acceptance: "as A1 for each pair",
      },
      M1: {
        title: "Model of the ledger, every interleaving up to a depth",
        acceptance: "at most one effect per intent, no id lost that a read finds, no hang",
      },
    },
  },
  {
    title: "Cache and watch",
    classes: {
      B1: { title: "Stale lists and watches", acceptance: "0 destructive calls" },
      B2: { title: "The watch delivers the operator's own writes late", acceptance: "0 second creates" },
      B3: { title: "States that no watch delivered", acceptance: "the same final state" },
      B4: { title: "410 Gone, in every form", acceptance: "listed again within 2 s, nothing lost" },
      B5: { title: "A watch that is dead without an error", acceptance: "noticed within 45 s" },
      B6: { title: "Watches that close immediately", acceptance: "at most 20 connections a minute and kind" },
      B7: {
        title: "Malformed lines of a watch",
        acceptance: "the process keeps running, the next list repairs the cache",
      },
      B8: {
        title: "The API server restarts, or is down for longer than a lease",
        acceptance: "asked again within 8 s, all watches open; a process that loses the lease exits; 0 duplicates",
      },
      B9: { title: "etcd is down, compacted, defragmented", acceptance: "no status write is lost" },
      B10: { title: "409 on every write", acceptance: "read again, no field of another manager overwritten" },
      B11: { title: "429, 5xx, slow, refused and reset by the API server", acceptance: "no duplicates" },
      B12: { title: "CRDs missing, or deleted while it runs", acceptance: "0 deletions on the platform" },
      B13: {
        title: "A namespace is deleted, in hostile order",
        acceptance:
          "empty within 60 s; objects under Delete are deleted, no others; events in the operator's namespace",
      },
      B14: { title: "Finalizers that wait for each other", acceptance: "0 stuck" },
      N1: { title: "Absent resources, records, CRDs or lists", acceptance: "0 deletions on the platform" },
    },
  },
  {
    title: "The platform's API",
    classes: {
      C1: { title: "429 with every form of X-RateLimit-Reset", acceptance: "0 calls before the reset" },
      C2: { title: "5xx for minutes, 503 half of the time", acceptance: "at most three times the calls" },
      C3: { title: "Slow responses, bodies and headers that never end", acceptance: "canceled at a total deadline" },
      C4: { title: "Truncated, empty, huge and wrong bodies", acceptance: "a typed error that shows no content" },
      C5: { title: "Unknown states and mutated responses", acceptance: "0 crashes, no action on the unknown" },
      C6: {
        title: "Token revoked, with fewer scopes, of another organization",
        acceptance: "0 deletions, 0 creations",
      },
      C7: { title: "404 for a recorded id", acceptance: "confirmed by a list before anything is created" },
      C8: { title: "Both meanings of 409", acceptance: "adopted with proof only; requeued otherwise" },
      C9: { title: "Partition, DNS, certificates", acceptance: "never bypassed, Ready kept until its staleness limit" },
      C10: { title: "States that go back or never become final", acceptance: "followed by request id" },
      C11: { title: "Drift", acceptance: "at most one correction per poll" },
      C12: { title: "Secrets that cannot be read back", acceptance: "written on change only, no unkeyed hash" },
      K1: {
        title: "Credentials revoked, rotated, with fewer scopes, or deleted first",
        acceptance: "0 deletions, 0 second creates, namespaces become empty",
      },
    },
  },
  {
    title: "Time, leadership, scale",
    classes: {
      D1: { title: "Clock jumps", acceptance: "no effect on timers" },
      D2: { title: "Waits beyond 24.8 days", acceptance: "clamped, no busy loop" },
      D3: {
        title: "Failover by kill, freeze and partition; the lease deleted or edited; the number of shards changed",
        acceptance: "0 double actions, 0 calls by a process that lost its lease",
      },
      D4: { title: "The lease's encoding", acceptance: "accepted by the API server" },
      D5: {
        title: "Thousands of objects",
        acceptance:
          "at most one call per idle object and poll; memory and event loop delay are reported without a limit",
      },
      D6: {
        title: "Cardinality of metrics",
        acceptance: "independent of the number of objects; controller-runtime's histograms alone are hundreds",
      },
      D7: { title: "A noisy tenant", acceptance: "its neighbours are not delayed" },
      D8: { title: "Minutes of churn; hours with SOAK_MINUTES", acceptance: "memory and connections do not grow" },
    },
  },
  {
    title: "Identity",
    classes: {
      R1: {
        title: "Restored, copied, stripped, re-pointed, re-created, rolled back",
        acceptance: "0 writes that docs/architecture.md forbids; the limit of mass changes holds",
      },
    },
  },
  {
    title: "Hostile input",
    classes: {
      E1: { title: "Path traversal", acceptance: "0 requests" },
      E2: { title: "Header injection", acceptance: "refused without its value" },
      E3: { title: "Prototype pollution", acceptance: "none" },
      E4: {
        title: "Evil regular expressions",
        acceptance: "canceled after 50 ms for all patterns of an object; the event loop's delay is reported",
      },
      E5: { title: "Huge, deep and strange values", acceptance: "bounded by the schema, contained" },
      E6: { title: "Redaction of the log", acceptance: "0 occurrences" },
      E7: { title: "Errors that carry content", acceptance: "code and reason only" },
      E8: { title: "Requests to inner addresses", acceptance: "0 bytes sent" },
      E9: { title: "Secrets of other namespaces", acceptance: "0 reads" },
      E10: { title: "Confused deputy", acceptance: "0 changes of another tenant's objects" },
      E11: { title: "Forged status and annotations", acceptance: "0 deletions of another tenant's objects" },
      E12: {
        title: "Abuse of the webhook receiver",
        acceptance: "refused before parsing; a delivery only causes a read",
      },
      E13: { title: "Injection into output", acceptance: "one record a line, escaped" },
      E14: { title: "Least privilege", acceptance: "used equals granted" },
      E15: { title: "Supply chain", acceptance: "no install scripts, few dependencies" },
      E16: {
        title: "A resource that could stop its kind",
        acceptance: "InvalidSpec, no request for it; its neighbours are reconciled within 5 s",
      },
      G1: {
        title: "Each leaf of each CRD: valid, boundary, invalid",
        acceptance: "one call or a listed exception; setting the old value back restores it",
      },
      S1: { title: "Secret canaries at level trace", acceptance: "0 occurrences" },
      S2: { title: "Flags of Node", acceptance: "in force" },
      S3: {
        title: "Foreign requests to the status page, and hostile text on it",
        acceptance: "foreign hosts and writes refused; shows no token and no spec; text is escaped",
      },
      S4: {
        title: "Forged entries of the orphan ledger, and namespaces of an old name",
        acceptance: "no adoption beyond the connection's rules; stalls if the list contradicts the record",
      },
    },
  },
];
