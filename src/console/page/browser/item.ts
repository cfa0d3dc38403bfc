/**
 * One object: a line that opens. The element is kept while the object exists, so that focus and selection survive.
 */
import { MARKS } from "../../tree/labels.ts";
import type { Row } from "../shape.ts";
import { commandsFor } from "./commands.ts";
import { copy, make, setText } from "./dom.ts";

const COPIED_MS = 1_500;

export type TreeItem = ReturnType<typeof createItem>;

/** @param toggled called when the user opens or closes it. @returns an item that shows nothing yet */
export function createItem(toggled: (open: boolean) => void) {
  const sign = make("span", "sign");
  sign.ariaHidden = "true";
  const mark = make("span", "mark-word");
  const pill = make("span", "mark", sign, mark);
  const kind = make("span", "kind");
  const name = make("span", "name");
  const commit = make("code", "commit");
  const state = make("span", "state");
  const reason = make("span", "reason");
  const since = make("time", "since");
  const brief = make("span", "brief");
  const what = make("span", "what", kind, " ", name, " ", commit);
  const summary = make("summary", "", pill, what, state, reason, since, brief);
  const message = make("p", "message");
  const facts = make("dl", "facts");
  const commands = make("ul", "commands");
  const details = make("details", "", summary, make("div", "more", message, facts, commands));
  const children = make("ul", "children");
  const element = make("li", "item", details);
  let shown: Row | undefined;

  details.addEventListener("toggle", () => {
    toggled(details.open);
  });

  return {
    /** The entry of the list. */
    element,
    details,
    summary,
    /** The list of its children. */
    children,
    /** Shows the current state of the object. */
    update: (row: Row): void => {
      const before = shown;
      shown = row;
      element.dataset["mark"] = row.mark;
      element.style.setProperty("--depth", String(row.depth));
      element.classList.toggle("context", row.isContext);
      const looks = MARKS[row.mark];
      setText(sign, looks.sign);
      setText(mark, looks.word);
      pill.title = looks.meaning;
      setText(kind, row.word);
      setText(name, row.depth === 0 && row.namespace !== "" ? `${row.namespace}/${row.name}` : row.name);
      setText(commit, row.commit);
      setText(state, row.state);
      setText(reason, row.reason);
      setText(brief, row.mark === "ready" ? "" : row.message);
      setText(message, row.message === "" ? "It has no message." : row.message);
      since.dateTime = row.since;
      since.title = row.since === "" ? "" : new Date(row.since).toLocaleString();
      if (before?.externalId !== row.externalId || before.since !== row.since) {
        facts.replaceChildren(...factsOf(row));
      }
      if (before === undefined) commands.replaceChildren(...commandsFor(row).map(commandLine));
    },
  };
}

function factsOf({ id, externalId, since }: Row): readonly Node[] {
  const known = [
    ["Object", id],
    ["Id on the platform", externalId],
    ["In this state since", since === "" ? "" : new Date(since).toLocaleString()],
  ] as const;
  return known
    .filter(([, value]) => value !== "")
    .map(([term, value]) => make("div", "", make("dt", "", term), make("dd", "", value)));
}

/** @returns a command with a button that copies it. */
export function commandLine(command: string): HTMLLIElement {
  const button = make("button", "copy", "Copy");
  button.type = "button";
  button.ariaLabel = `Copy: ${command}`;
  button.addEventListener("click", () => {
    void copy(command).then((done) => {
      button.textContent = done ? "Copied" : "Select it";
      setTimeout(() => {
        button.textContent = "Copy";
      }, COPIED_MS);
    });
  });
  return make("li", "", make("code", "", command), button);
}
