/** Keeps the page up to date: by events while they arrive, else by polling every few seconds. */

/** live: events arrive; polling: read every few seconds; lost: no answer. */
export type LiveState = "connecting" | "live" | "polling" | "lost";

/** The operator sends the event `alive` every 10 s. */
const SILENCE_MS = 25_000;
const RETRY_MS = 3_000;
/** How often the page is read for changes that no event reports: which replica leads, which watch is silent. */
const SELDOM_MS = 30_000;

/**
 * Starts to follow changes, and stops while the page is hidden, because browsers open only six connections to a host.
 * @param load reads and shows the page; rejects when that fails
 * @param report called with the state of the connection after each attempt
 * @returns a function that reads again; calls during a read cause one more read after it
 */
export function followPage(load: () => Promise<void>, report: (connection: LiveState) => void): () => void {
  let source: EventSource | undefined;
  let isOpen = false;
  let watchdog: number | undefined;
  let retry: number | undefined;
  let reading = false;
  let again = false;

  const read = async (): Promise<void> => {
    try {
      await load();
      report(isOpen ? "live" : "polling");
    } catch {
      report("lost");
    }
  };
  const refresh = (): void => {
    again = reading;
    if (reading) return;
    reading = true;
    void read().then(() => {
      reading = false;
      if (again) refresh();
    });
  };
  const close = (): void => {
    source?.close();
    source = undefined;
    isOpen = false;
    clearTimeout(watchdog);
    clearTimeout(retry);
  };
  const fail = (): void => {
    close();
    refresh();
    retry = setTimeout(open, RETRY_MS);
  };
  const alive = (): void => {
    clearTimeout(watchdog);
    watchdog = setTimeout(fail, SILENCE_MS);
    if (isOpen) return;
    isOpen = true;
    refresh();
  };
  function open(): void {
    close();
    source = new EventSource("api/events");
    source.addEventListener("alive", alive);
    source.addEventListener("changed", refresh);
    source.addEventListener("error", fail);
    watchdog = setTimeout(fail, SILENCE_MS);
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else open();
  });
  setInterval(() => {
    if (isOpen) refresh();
  }, SELDOM_MS);
  if (!document.hidden) open();
  return refresh;
}
