/** The notices beside the tree: the connection, the operator that answers, what is missing. */
import { ageOf } from "../../tree/labels.ts";
import type { PageQuery, TreePage } from "../shape.ts";
import { byId, make, setText } from "./dom.ts";
import { commandLine } from "./item.ts";
import type { LiveState } from "./live.ts";

const CONNECTION_WORDS: Readonly<Record<LiveState, string>> = {
  connecting: "Connecting…",
  live: "Live",
  polling: "Every few seconds",
  lost: "Connection lost, retrying…",
};
/** Watches are renewed every half minute; the alert PlatformOperatorWatchSilent has the same threshold. */
const SILENT_MS = 120_000;

/** Shows the state of the connection. */
export function showConnection(connection: LiveState): void {
  const element = byId("connection", HTMLParagraphElement);
  setText(element, CONNECTION_WORDS[connection]);
  element.dataset["state"] = connection;
}

/** Shows which operator answers, and problems with its caches. @param readAt the time of the answer, by this clock */
export function showOperator(page: TreePage, connection: LiveState, readAt: Date): void {
  const notice = byId("notice", HTMLParagraphElement);
  const words = troubleOf(page, connection, readAt);
  setText(notice, words);
  notice.hidden = words === "";
  const { version, instance, isLeading } = page.operator;
  const role = isLeading ? "leading" : "standing by, another replica leads";
  setText(byId("operator", HTMLParagraphElement), `${version} · ${instance} · ${role}`);
}

function troubleOf({ operator, now }: TreePage, connection: LiveState, readAt: Date): string {
  if (connection === "lost") {
    return `The operator does not answer. What you see is ${ageOf(readAt.toISOString(), new Date())} old.`;
  }
  if (operator.waitingFor !== null) return `The operator does not know everything yet: ${operator.waitingFor}.`;
  if (operator.silentMs < SILENT_MS) return "";
  const since = new Date(Date.parse(now) - operator.silentMs).toISOString();
  return `The operator has not heard from the API server for ${ageOf(since, new Date(now))}: what you see may be old.`;
}

/** Shows how many objects are shown, and what to do when there are none. */
export function showAmount({ counts, matched, page, pages, rows, operator }: TreePage, view: PageQuery): void {
  const all = Object.values(counts).reduce((sum, each) => sum + each, 0);
  const objects = all === 1 ? "1 object" : `${all.toLocaleString()} objects`;
  const isFiltered = view.show !== "all" || view.text !== "";
  const summary = byId("summary", HTMLParagraphElement);
  setText(summary, isFiltered ? `${matched.toLocaleString()} of ${objects}` : objects);
  summary.hidden = all === 0;
  byId("columns", HTMLDivElement).hidden = rows.length === 0;
  byId("pages", HTMLElement).hidden = pages === 1;
  setText(byId("page", HTMLSpanElement), `Page ${page.toLocaleString()} of ${pages.toLocaleString()}`);
  byId("previous", HTMLButtonElement).disabled = page === 1;
  byId("next", HTMLButtonElement).disabled = page === pages;
  const empty = byId("empty", HTMLElement);
  empty.hidden = rows.length > 0;
  if (rows.length > 0 || operator.waitingFor !== null) empty.replaceChildren();
  else if (empty.dataset["for"] !== String(all) || empty.childElementCount === 0) {
    empty.replaceChildren(...(all === 0 ? nothingYet() : nothingFits(view)));
  }
  empty.dataset["for"] = String(all);
}

function nothingYet(): readonly Node[] {
  const advice =
    "Start with a PlatformConnection, which says how to reach your platform, and a PlatformProject. They show up here by themselves.";
  const commands = ["explain platformconnection.spec", "explain platformproject.spec", "platform check"];
  return [
    make("h2", "", "No custom resources yet"),
    make("p", "", advice),
    make("ul", "commands", ...commands.map((command) => commandLine(`kubectl ${command}`))),
  ];
}

function nothingFits({ show, text }: PageQuery): readonly Node[] {
  const words = show === "not-ready" && text === "" ? "Everything is ready" : "Nothing fits the filter";
  return [make("h2", "", words), make("p", "", "Choose All and empty the filter to see every object.")];
}
