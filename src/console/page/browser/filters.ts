/** The filters: a choice of marks with their counts, and a text. */
import { MARKS } from "../../tree/labels.ts";
import { SHOWS, type PageQuery, type Show, type TreePage } from "../shape.ts";
import { byId, make, setText } from "./dom.ts";

const TYPING_MS = 200;

/** @param chosen called with the user's choice */
export function createFilters(chosen: (filter: Pick<PageQuery, "show" | "text">) => void) {
  const form = byId("filters", HTMLFormElement);
  const text = byId("text", HTMLInputElement);
  const choices = SHOWS.map((show) => createChoice(show));
  byId("shows", HTMLFieldSetElement).append(...choices.map(({ label }) => label));
  let typing: number | undefined;

  const choose = (): void => {
    clearTimeout(typing);
    chosen({ show: choices.find(({ radio }) => radio.checked)?.show ?? "all", text: text.value });
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
    set: (view: Pick<PageQuery, "show" | "text">): void => {
      if (text.value !== view.text) text.value = view.text;
      for (const { show, radio } of choices) radio.checked = show === view.show;
    },
    count: (counts: TreePage["counts"]): void => {
      const all = Object.values(counts).reduce((sum, each) => sum + each, 0);
      const numbers: Record<Show, number> = { ...counts, all, "not-ready": all - counts.ready };
      for (const { show, label, radio, number } of choices) {
        setText(number, String(numbers[show]));
        // Hides marks without objects, unless one is chosen.
        label.hidden = numbers[show] === 0 && show !== "all" && show !== "not-ready" && !radio.checked;
      }
    },
  };
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
