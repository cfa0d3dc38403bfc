/** What is looked at, in the address after the #: so it can be sent to somebody, and is there after a reload. Pure. */
import { SHOWS, type PageQuery } from "../shape.ts";

/** @param hash "#show=not-ready&text=api". @returns what it says; what it does not is as usual */
export function viewOf(hash: string): PageQuery {
  const told = new URLSearchParams(hash.replace(/^#/, ""));
  const page = Number(told.get("page") ?? 1);
  return {
    show: SHOWS.find((known) => known === told.get("show")) ?? "all",
    text: told.get("text") ?? "",
    page: Number.isInteger(page) && page > 0 ? page : 1,
    at: told.get("at") ?? "",
  };
}

/** @returns what leads to this view, "" for the usual one. */
export function hashOf({ show, text, page, at }: PageQuery): string {
  const told = new URLSearchParams();
  if (show !== "all") told.set("show", show);
  if (text !== "") told.set("text", text);
  if (page !== 1) told.set("page", String(page));
  if (at !== "") told.set("at", at);
  return told.size === 0 ? "" : `#${told.toString().replaceAll("%2F", "/")}`;
}
