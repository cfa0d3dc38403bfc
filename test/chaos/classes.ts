/**
 * The classes of failure that are proven, by the id that the titles of their tests begin with: what is done to the
 * operator, and what has to hold. docs/reliability.md is made of them and of the runner's report.
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
        title: "SIGKILL at every call of a life, before, after, replied and late",
        acceptance:
          "0 duplicates, 0 leaks, 0 double actions; the same end as without a kill, by at most 5 reconciles of an object that act; then quiet",
      },
      A2: {
        title: "Crash between a create and its record, landing late, lists lagging",
        acceptance: "0 duplicates within the landing window; beyond it DuplicateRemote, nothing deleted",
      },
      A3: { title: "Ambiguous answer to a create", acceptance: "taken as unknown, never as failed; 0 duplicates" },
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
        title: "SIGTERM at every call of a tree's life",
        acceptance: "ends within 10 s, the lease given back, nothing left ambiguous; 0 duplicates",
      },
      A8: { title: "A kind that throws", acceptance: "InternalError on that object alone; the process lives" },
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
      B1: { title: "Lists and watches of the past", acceptance: "0 destructive calls" },
      B2: { title: "The operator's own writes come back late", acceptance: "0 second creates" },
      B3: { title: "States that no watch showed", acceptance: "the same end" },
      B4: { title: "410 Gone, in every form", acceptance: "listed again within 2 s, nothing lost" },
      B5: { title: "A watch that is silently dead", acceptance: "noticed within 45 s" },
      B6: { title: "Watches closed at once", acceptance: "at most 20 connections a minute and kind" },
      B7: { title: "Malformed lines of a watch", acceptance: "the process lives, the next list repairs" },
      B8: {
        title: "The API server restarts, or is away for longer than a lease",
        acceptance: "all watches live within 10 s; who loses the lease ends by itself; 0 duplicates",
      },
      B9: { title: "etcd is down, compacted, defragmented", acceptance: "no write of a status is lost" },
      B10: { title: "409 on every write", acceptance: "read again, nothing of others overwritten" },
      B11: { title: "429, 5xx, slow, refused and reset by the API server", acceptance: "no duplicates" },
      B12: { title: "CRDs missing, or deleted while it runs", acceptance: "0 deletions on the platform" },
      B13: {
        title: "A namespace ends, in hostile order",
        acceptance: "empty within 60 s; what is under Delete is gone, nothing else; told in the operator's namespace",
      },
      B14: { title: "Finalizers that wait for each other", acceptance: "0 stuck" },
      N1: { title: "Absence of any kind", acceptance: "0 deletions on the platform" },
    },
  },
  {
    title: "The platform's API",
    classes: {
      C1: { title: "429 with every form of X-RateLimit-Reset", acceptance: "0 calls before the reset" },
      C2: { title: "5xx for minutes, 503 half of the time", acceptance: "at most three times the calls" },
      C3: { title: "Slow answers, dripping bodies, endless headers", acceptance: "a total deadline" },
      C4: { title: "Truncated, empty, huge and wrong bodies", acceptance: "a typed error, no content told" },
      C5: { title: "Unknown states and mutated answers", acceptance: "0 crashes, no action on the unknown" },
      C6: { title: "Token revoked, narrowed, of others", acceptance: "0 deletions, 0 creations" },
      C7: { title: "404 of an own id", acceptance: "confirmed by a list before anything is created" },
      C8: { title: "Both meanings of 409", acceptance: "adopted with proof only; requeued" },
      C9: { title: "Partition, DNS, certificates", acceptance: "never bypassed, Ready kept until stale" },
      C10: { title: "States that go back or never end", acceptance: "followed by request id" },
      C11: { title: "Drift", acceptance: "at most one correction per look" },
      C12: { title: "Secrets that cannot be read back", acceptance: "written on change only, no plain hash" },
      K1: {
        title: "Credentials revoked, narrowed, rotated, deleted first",
        acceptance: "0 deletions, 0 creations anew, namespaces empty",
      },
    },
  },
  {
    title: "Time, leadership, scale",
    classes: {
      D1: { title: "Clock jumps", acceptance: "no effect on timers" },
      D2: { title: "Waits beyond 24.8 days", acceptance: "clamped, no hot loop" },
      D3: {
        title: "Failover by kill, freeze and partition; the lease deleted or edited",
        acceptance: "0 double actions, 0 calls of one that lost its lease",
      },
      D4: { title: "The lease's encoding", acceptance: "accepted by the API server" },
      D5: {
        title: "Thousands of objects",
        acceptance: "one call per idle object and look at most; memory and event loop are told, not judged",
      },
      D6: {
        title: "Cardinality of metrics",
        acceptance: "independent of the number of objects; controller-runtime's histograms alone are hundreds",
      },
      D7: { title: "A noisy tenant", acceptance: "its neighbours go on" },
      D8: { title: "Minutes of churn; hours with SOAK_MINUTES", acceptance: "memory and connections stay" },
    },
  },
  {
    title: "Identity",
    classes: {
      R1: {
        title: "Restored, copied, stripped, re-pointed, re-created, rolled back",
        acceptance: "0 writes that the design forbids; the brake holds a mass change",
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
        acceptance: "given up after 50 ms for all of an object's; how long the loop was held up is told",
      },
      E5: { title: "Huge, deep and strange values", acceptance: "bounded by the schema, contained" },
      E6: { title: "Redaction of the log", acceptance: "0 occurrences" },
      E7: { title: "Errors that carry content", acceptance: "code and reason only" },
      E8: { title: "Requests to inner addresses", acceptance: "0 bytes sent" },
      E9: { title: "Secrets of other namespaces", acceptance: "0 reads" },
      E10: { title: "Confused deputy", acceptance: "0 changes of what is another's" },
      E11: { title: "Forged status and annotations", acceptance: "0 foreign deletions" },
      E12: { title: "Abuse of the webhook receiver", acceptance: "refused before parsing; only a hint" },
      E13: { title: "Injection into output", acceptance: "one record a line, escaped" },
      E14: { title: "Least privilege", acceptance: "used equals granted" },
      E15: { title: "Supply chain", acceptance: "no install scripts, few dependencies" },
      E16: {
        title: "A resource that stops its kind",
        acceptance: "InvalidSpec, nothing sent for it; its neighbours are served within 5 s",
      },
      G1: {
        title: "Each leaf of each CRD: valid, boundary, invalid",
        acceptance: "one call or a listed exception; back again restores",
      },
      S1: { title: "Secret canaries at level trace", acceptance: "0 occurrences" },
      S2: { title: "Flags of Node", acceptance: "in force" },
      S3: {
        title: "The status page asked by strangers, or shown hostile text",
        acceptance: "foreign hosts and writes refused; no token, nothing of a spec; text stays text",
      },
      S4: {
        title: "Forged entries of the orphan ledger, and namespaces of an old name",
        acceptance: "no adoption beyond the connection's rules; a list that contradicts stalls",
      },
    },
  },
];
