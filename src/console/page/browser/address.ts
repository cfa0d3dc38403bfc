/** What is looked at, in the address after the #: so it can be sent to somebody, and is there after a reload. Pure. */
import { SHOWS, type PageQuery } from "../shape.ts";

/** @param hash "#show=not-ready&text=api". @returns what it says; what it does not is as usual */
export function viewOf(hash: string): PageQuery {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const page = Number(parameters.get("page") ?? 1);
  return {
    show: SHOWS.find((known) => known === parameters.get("show")) ?? "all",
    text: parameters.get("text") ?? "",
    page: Number.isInteger(page) && page > 0 ? page : 1,
    at: parameters.get("at") ?? "",
  };
}

/** @returns what leads to this view, "" for the usual one. */
export function hashOf({ show, text, page, at }: PageQuery): string {
  const parameters = new URLSearchParams();
  if (show !== "all") parameters.set("show", show);
  if (text !== "") parameters.set("text", text);
  if (page !== 1) parameters.set("page", String(page));
  if (at !== "") parameters.set("at", at);
  return parameters.size === 0 ? "" : `#${parameters.toString().replaceAll("%2F", "/")}`;
}
