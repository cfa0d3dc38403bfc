/**
 * Whether a list of the platform is complete. The specification has no pages, but a platform may have them: then the
 * objects of the next page must not count as absent.
 */

const pages = new WeakSet<readonly unknown[]>();

/** Common default page lengths of APIs, besides the multiples of 50. */
const PAGE_LENGTHS: ReadonlySet<number> = new Set([20, 25, 30, 40]);

const HEADERS = ["link", "content-range", "x-total-count", "x-total", "x-next-page", "x-page", "x-per-page"];

/** Members besides `results` that indicate pages, e.g. `next`, `page_size`, `has_more`, `total_count`. */
const MEMBERS =
  /^(pagination|links?|next|more|page|total|count|offset|limit|cursor)$|next_|_more|page_|_page|total_|_count|cursor/;

/** Reports whether a header or a member of an answer's body indicates that it is one page of several. */
export function indicatesPages(body: unknown, header: (name: string) => string | undefined): boolean {
  if (HEADERS.some((name) => header(name) !== undefined)) return true;
  const members = typeof body === "object" && body !== null ? Object.entries(body) : [];
  return members.some(([name, value]) => value !== null && MEMBERS.test(snakeCased(name)));
}

/** Marks a list as possibly incomplete. @returns the list */
export function asPage<List extends readonly unknown[]>(list: List): List {
  pages.add(list);
  return list;
}

/**
 * Reports whether an object that is missing from a list may count as absent.
 * @param list as a read of the platform returned it, not a copy
 * @returns false for a list that indicates pages, or whose length is that of a usual page (20, 25, 30, 40, 50, 100, …)
 */
export function isWhole(list: readonly unknown[]): boolean {
  const { length } = list;
  const isPageLength = PAGE_LENGTHS.has(length) || (length > 0 && length % 50 === 0);
  return !isPageLength && !pages.has(list);
}

function snakeCased(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).toLowerCase();
}
