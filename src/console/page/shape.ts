/**
 * What the server of the page and the browser share: the JSON of the answer, and the view that a request asks for. And
 * the parts of the browser's code that need no document. Pure.
 */
import type { ObjectSummary, Mark } from "../tree/summary.ts";

/** The marks in the order in which they matter. */
export const MARK_ORDER = ["stalled", "warned", "working", "new", "deleting", "ready"] as const satisfies Mark[];

/** Which objects are shown: all, those with another mark than ready, or those of one mark. */
export const SHOWS = ["all", "not-ready", ...MARK_ORDER] as const;
export type Show = (typeof SHOWS)[number];

/** The view of the page, as in its address and its request. */
export interface PageQuery {
  readonly show: Show;
  /** Shows objects whose texts contain it, ignoring case; empty for all. */
  readonly text: string;
  /** "" for all namespaces. */
  readonly namespace: string;
  /** e.g. "PlatformApplication"; "" for all kinds. */
  readonly kind: string;
  /** Counted from 1; a larger number than the last shows the last page. */
  readonly page: number;
  /** The id of the object that is opened, whose page is shown if it is on one; "" for none. */
  readonly at: string;
}

/**
 * Reads the view in the address of the page, after the #, so that a view can be shared and survives a reload.
 * @param hash "#show=not-ready&text=api"
 * @returns the view, with defaults for missing parts
 */
export function viewOf(hash: string): PageQuery {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const page = Number(parameters.get("page") ?? 1);
  return {
    show: SHOWS.find((known) => known === parameters.get("show")) ?? "all",
    text: parameters.get("text") ?? "",
    namespace: parameters.get("namespace") ?? "",
    kind: parameters.get("kind") ?? "",
    page: Number.isInteger(page) && page > 0 ? page : 1,
    at: parameters.get("at") ?? "",
  };
}

/** @returns the hash of this view, "" for the default view */
export function hashOf({ show, text, namespace, kind, page, at }: PageQuery): string {
  const parameters = new URLSearchParams();
  if (show !== "all") parameters.set("show", show);
  for (const [name, value] of Object.entries({ text, namespace, kind })) if (value !== "") parameters.set(name, value);
  if (page !== 1) parameters.set("page", String(page));
  if (at !== "") parameters.set("at", at);
  return parameters.size === 0 ? "" : `#${parameters.toString().replaceAll("%2F", "/")}`;
}

/** The number of objects on one page. */
export const PAGE_SIZE = 500;
/** The largest length of a filter text. */
export const MAX_TEXT = 100;

/** One object. Its texts are untrusted: they are shown as plain text. */
export interface Row extends Omit<ObjectSummary, "kind" | "parent"> {
  /** Its kind for people, e.g. "application". */
  readonly word: string;
  /** Its kind for kubectl, e.g. "papp". */
  readonly short: string;
  /** 0 for an object without a parent. */
  readonly depth: number;
  /** True for a parent that does not match, but has a child that does. */
  readonly isContext: boolean;
}

type Commanded = Pick<Row, "short" | "namespace" | "name" | "mark" | "reason" | "externalId">;

/** A failed deployment; the commit before it still runs. */
const FAILED_DEPLOYMENT = /^(?:BuildFailed|DeploymentFailed)$/;

/** Refused by the platform: tried again on request, or when the spec changes. */
const AGAIN_ON_REQUEST = /^(?:Rejected|PermissionDenied)$/;

/** @returns the kubectl commands that fit the failure of an object, then those that show more about it, for a shell */
export function commandsFor({ short, namespace, name, mark, reason, externalId }: Commanded): readonly string[] {
  const place = namespace === "" ? "" : ` -n ${quoted(namespace)}`;
  const object = `${short}/${quoted(name)}${place}`;
  return [
    ...commandsAbout(mark, reason, short).map((command) => `kubectl platform ${command} ${object}`),
    ...(short === "papp" && externalId !== "" ? [`kubectl platform logs ${object}`] : []),
    `kubectl platform status ${object}`,
    `kubectl describe ${short} ${quoted(name)}${place}`,
  ];
}

function commandsAbout(mark: Mark, reason: string, short: string): readonly string[] {
  if (FAILED_DEPLOYMENT.test(reason)) return short === "papp" ? ["rollback", "reconcile"] : ["reconcile"];
  if (reason === "ApprovalPending") return ["approve"];
  if (reason === "ReconcilePaused") return ["resume"];
  if (AGAIN_ON_REQUEST.test(reason)) return ["trace", "reconcile"];
  return mark === "stalled" || mark === "working" ? ["trace"] : [];
}

/** @returns the commit of a line: after a failed deployment it is the one before, which still runs */
export function shownCommit({ commit, reason }: Pick<Row, "commit" | "reason">): string {
  return commit !== "" && FAILED_DEPLOYMENT.test(reason) ? `still runs ${commit}` : commit;
}

/** Quotes a word for a shell if necessary; valid names of Kubernetes never need it. */
function quoted(word: string): string {
  return /^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The process that answers. Every replica has the same caches; only the leader reconciles. */
export interface About {
  readonly version: string;
  readonly instance: string;
  readonly isLeading: boolean;
  /** Why it is not ready, as text, e.g. which kinds are not listed yet; null when it is. */
  readonly waitingFor: string | null;
  /** Milliseconds since the last activity of the watch that has been silent longest. */
  readonly silentMs: number;
}

/** A condition of an object. */
export interface PageCondition extends Readonly<Record<"type" | "status" | "reason" | "message" | "since", string>> {}

/** An event of an object, with the number of its occurrences. */
export interface PageEvent {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly count: number;
  readonly lastObservedTime: string;
}

/** A deployment of an application or a database. */
export interface PageDeployment {
  /** "" for a database. */
  readonly commit: string;
  readonly state: string;
  /** The time of its end, else of its start. */
  readonly at: string;
  readonly seconds?: number | undefined;
}

/** The answer of /api/object: what an open line shows. */
export interface Detail {
  readonly conditions: readonly PageCondition[];
  /** Those that this replica recorded since its start, newest first. */
  readonly events: readonly PageEvent[];
  /** Newest first. */
  readonly deployments: readonly PageDeployment[];
  /** The object's address in the platform's console, if links are configured. */
  readonly consoleUrl?: string | undefined;
}

export type Counts = Readonly<Record<Mark, number>>;

/** @returns the number of all objects */
export const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, each) => sum + each, 0);

/** The answer of /api/tree. */
export interface TreePage {
  readonly operator: About;
  /** The operator's time, to which `since` relates. */
  readonly now: string;
  /** The counts of the objects of the query's namespace and kind. */
  readonly counts: Counts;
  /** All namespaces with the counts of their objects of the query's kind, in natural order. */
  readonly namespaces: readonly { readonly name: string; readonly counts: Counts }[];
  /** The kinds of all objects, parents first. */
  readonly kinds: readonly string[];
  /** The number of objects that match the query. */
  readonly matched: number;
  /** Counted from 1. */
  readonly page: number;
  readonly pages: number;
  readonly rows: readonly Row[];
}
