/** The page: reads and shows the view in its address, and again after each change. */
import type { PageQuery, TreePage } from "../shape.ts";
import { hashOf, viewOf } from "./address.ts";
import { byId } from "./dom.ts";
import { createFilters } from "./filters.ts";
import { createList } from "./list.ts";
import { followPage, type LiveState } from "./live.ts";
import { showAmount, showConnection, showOperator } from "./notices.ts";

const READ_MS = 10_000;
const TICK_MS = 1_000;

let view = viewOf(location.hash);
/** The object that the address names, until it has been shown once. */
let sought = view.at;
let shown: TreePage | undefined;
let connection: LiveState = "connecting";
let readAt = new Date();

const list = createList((id) => {
  // Nothing changes when a line closes and the address names no object.
  if (id !== "" || view.at !== "") remember({ ...view, at: id });
});
const filters = createFilters((filter) => {
  remember({ ...view, ...filter, page: 1 });
  refresh();
});

/** Keeps the view in the address, without a new entry in the history for each letter typed. */
function remember(next: PageQuery): void {
  view = next;
  history.replaceState(null, "", hashOf(view) || location.pathname);
}

async function read({ show, text, page }: PageQuery): Promise<TreePage> {
  const query = new URLSearchParams({ show, text, page: String(page), at: sought });
  const response = await fetch(`api/tree?${query.toString()}`, { signal: AbortSignal.timeout(READ_MS) });
  if (!response.ok) throw new Error(`the operator answered ${response.status}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operator of this very version wrote it
  return (await response.json()) as TreePage;
}

async function load(): Promise<void> {
  const asked = view;
  const answer = await read(asked);
  // The user changed the view meanwhile: it is read next.
  if (asked.show !== view.show || asked.text !== view.text || asked.page !== view.page) return;
  shown = answer;
  readAt = new Date();
  if (view.page !== answer.page) remember({ ...view, page: answer.page });
  filters.count(answer.counts);
  list.show(answer.rows);
  showAmount(answer, view);
  tick();
  if (sought !== "") list.reveal(sought);
  sought = "";
}

/** Updates the ages by the operator's clock, which may differ from this machine's. */
function tick(): void {
  if (shown === undefined) return;
  list.age(new Date(Date.parse(shown.now) + (Date.now() - readAt.getTime())));
  showOperator(shown, connection, readAt);
}

function turn(pages: number): void {
  remember({ ...view, page: view.page + pages });
  refresh();
  scrollTo(0, 0);
}

byId("previous", HTMLButtonElement).addEventListener("click", () => {
  turn(-1);
});
byId("next", HTMLButtonElement).addEventListener("click", () => {
  turn(1);
});
addEventListener("hashchange", () => {
  view = viewOf(location.hash);
  sought = view.at;
  filters.set(view);
  refresh();
});
setInterval(tick, TICK_MS);
filters.set(view);
const refresh = followPage(load, (now) => {
  connection = now;
  showConnection(now);
  tick();
});
