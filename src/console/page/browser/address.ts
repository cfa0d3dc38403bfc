/** Keeps the view in the address after the #, so that it can be shared and survives a reload. Pure. */
import { SHOWS, type PageQuery } from "../shape.ts";

/** @param hash "#show=not-ready&text=api". @returns the view, with defaults for missing parts */
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

/** @returns the hash of this view, "" for the default view */
export function hashOf({ show, text, page, at }: PageQuery): string {
  const parameters = new URLSearchParams();
  if (show !== "all") parameters.set("show", show);
  if (text !== "") parameters.set("text", text);
  if (page !== 1) parameters.set("page", String(page));
  if (at !== "") parameters.set("at", at);
  return parameters.size === 0 ? "" : `#${parameters.toString().replaceAll("%2F", "/")}`;
}
