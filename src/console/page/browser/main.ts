/**
 * The page: reads and shows the view in its address, and again after each change; the filters and notices around the
 * tree.
 */
import { ageOf, MARKS } from "../../tree/labels.ts";
import { type Detail, hashOf, SHOWS, sumOf, viewOf, type PageQuery, type Show, type TreePage } from "../shape.ts";
import { byId, make, setText } from "./dom.ts";
import { followPage, type LiveState } from "./live.ts";
import { commandLine, createTree } from "./tree.ts";

/** The deadline of a read. */
const READ_MS = 10_000;
/** How often the ages are updated. */
const TICK_MS = 1_000;
/** How long the user may pause while typing before the filter is applied. */
const TYPING_MS = 200;
const CONNECTION_WORDS: Readonly<Record<LiveState, string>> = {
  connecting: "Connecting…",
  live: "Live",
  polling: "Every few seconds",
  lost: "Connection lost, retrying…",
};
/** Watches are renewed every half minute; the alert PlatformOperatorWatchSilent has the same threshold. */
const SILENT_MS = 120_000;

let view = viewOf(location.hash);
/** The object that the address names, until it has been shown once. */
let idToReveal = view.at;
let shown: TreePage | undefined;
let connection: LiveState = "connecting";
let readAt = new Date();

const tree = createTree({
  opened: (id) => {
    // Nothing changes when a line closes and the address names no object.
    if (id !== "" || view.at !== "") remember({ ...view, at: id });
  },
  detail: async (id) => {
    const answer = await read(`api/object?${new URLSearchParams({ id }).toString()}`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operator of this very version wrote it
    return answer as Detail;
  },
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

async function read(path: string): Promise<unknown> {
  const response = await fetch(path, { signal: AbortSignal.timeout(READ_MS) });
  if (!response.ok) throw new Error(`the operator answered ${response.status}`);
  return response.json();
}

async function readTree({ page, ...filter }: PageQuery): Promise<TreePage> {
  const query = new URLSearchParams({ ...filter, page: String(page), at: idToReveal });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operator of this very version wrote it
  return (await read(`api/tree?${query.toString()}`)) as TreePage;
}

async function load(): Promise<void> {
  const requested = view;
  const answer = await readTree(requested);
  // The user changed the view meanwhile: it is read next.
  if (hashOf({ ...requested, at: "" }) !== hashOf({ ...view, at: "" })) return;
  shown = answer;
  readAt = new Date();
  if (view.page !== answer.page) remember({ ...view, page: answer.page });
  filters.count(answer, view);
  tree.show(answer, isFiltered(view));
  showAmount(answer, view);
  tick();
  if (idToReveal !== "") tree.reveal(idToReveal);
  idToReveal = "";
}

/** Updates the ages by the operator's clock, which may differ from this machine's. */
function tick(): void {
  if (shown === undefined) return;
  tree.age(new Date(Date.parse(shown.now) + (Date.now() - readAt.getTime())));
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
  idToReveal = view.at;
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

type Filter = Omit<PageQuery, "page" | "at">;

const isFiltered = ({ show, text, namespace, kind }: Filter): boolean =>
  show !== "all" || text !== "" || namespace !== "" || kind !== "";

/**
 * Creates the filters: a choice of marks with their counts, choosers of a namespace and a kind, and a text.
 * @param chosen called with the user's choice
 */
function createFilters(chosen: (filter: Filter) => void) {
  const form = byId("filters", HTMLFormElement);
  const text = byId("text", HTMLInputElement);
  const namespace = byId("namespace", HTMLSelectElement);
  const kind = byId("kind", HTMLSelectElement);
  const choices = SHOWS.map((show) => createChoice(show));
  byId("shows", HTMLFieldSetElement).append(...choices.map(({ label }) => label));
  let typing: number | undefined;

  const choose = (): void => {
    clearTimeout(typing);
    const show = choices.find(({ radio }) => radio.checked)?.show ?? "all";
    chosen({ show, text: text.value, namespace: namespace.value, kind: kind.value });
  };
  form.addEventListener("change", choose);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    choose();
  });
  text.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(choose, TYPING_MS);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target === text) return;
    text.focus();
    event.preventDefault();
  });

  return {
    set: (view: Filter): void => {
      choosable(namespace, "All namespaces", [], view.namespace);
      choosable(kind, "All kinds", [], view.kind);
      if (text.value !== view.text) text.value = view.text;
      for (const { show, radio } of choices) radio.checked = show === view.show;
    },
    count: ({ counts, namespaces, kinds }: TreePage, view: Filter): void => {
      const names = namespaces.map(({ name }) => name).filter((name) => name !== "");
      choosable(namespace, "All namespaces", names, view.namespace);
      choosable(kind, "All kinds", kinds, view.kind);
      const all = sumOf(counts);
      const numbers: Record<Show, number> = { ...counts, all, "not-ready": all - counts.ready };
      for (const { show, label, radio, number } of choices) {
        setText(number, String(numbers[show]));
        // Hides marks without objects, unless one is chosen.
        label.hidden = numbers[show] === 0 && show !== "all" && show !== "not-ready" && !radio.checked;
      }
    },
  };
}

/** Sets what can be chosen: the default, these values, and the chosen one although it may be gone. */
function choosable(select: HTMLSelectElement, all: string, values: readonly string[], chosen: string): void {
  const wanted = ["", ...values, ...(chosen === "" || values.includes(chosen) ? [] : [chosen])];
  if (wanted.join() !== [...select.options].map(({ value }) => value).join())
    select.replaceChildren(...wanted.map((value) => new Option(value || all, value)));
  select.value = chosen;
}

function wordOf(show: Show): string {
  if (show === "all") return "All";
  return show === "not-ready" ? "Not ready" : MARKS[show].word;
}

function createChoice(show: Show) {
  const radio = make("input");
  radio.type = "radio";
  radio.name = "show";
  radio.value = show;
  const number = make("span", "number");
  const label = make("label", "choice", radio, make("span", "", wordOf(show)), " ", number);
  label.dataset["show"] = show;
  return { show, radio, number, label };
}

/** Shows the state of the connection. */
function showConnection(connection: LiveState): void {
  const element = byId("connection", HTMLParagraphElement);
  setText(element, CONNECTION_WORDS[connection]);
  element.dataset["state"] = connection;
}

/** Shows which operator answers, and problems with its caches. @param readAt the time of the answer, by this clock */
function showOperator(page: TreePage, connection: LiveState, readAt: Date): void {
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
function showAmount({ counts, matched, page, pages, rows, kinds, operator }: TreePage, view: PageQuery): void {
  const all = sumOf(counts);
  const objects = all === 1 ? "1 object" : `${all.toLocaleString()} objects`;
  const summary = byId("summary", HTMLParagraphElement);
  setText(summary, view.show !== "all" || view.text !== "" ? `${matched.toLocaleString()} of ${objects}` : objects);
  summary.hidden = all === 0;
  byId("columns", HTMLDivElement).hidden = rows.length === 0;
  byId("pages", HTMLElement).hidden = pages === 1;
  setText(byId("page", HTMLSpanElement), `Page ${page.toLocaleString()} of ${pages.toLocaleString()}`);
  byId("previous", HTMLButtonElement).disabled = page === 1;
  byId("next", HTMLButtonElement).disabled = page === pages;
  const empty = byId("empty", HTMLElement);
  empty.hidden = rows.length > 0;
  const isNothingYet = kinds.length === 0;
  if (rows.length > 0 || operator.waitingFor !== null) empty.replaceChildren();
  else if (empty.dataset["for"] !== String(isNothingYet) || empty.childElementCount === 0) {
    empty.replaceChildren(...(isNothingYet ? nothingYet() : nothingFits(view)));
  }
  empty.dataset["for"] = String(isNothingYet);
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
  return [
    make("h2", "", words),
    make("p", "", "Choose All, all namespaces and all kinds, and empty the filter to see every object."),
  ];
}
