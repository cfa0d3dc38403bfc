/** The size of a run: `make test` runs a selection of the cases, `make chaos` all of them. */

/** CHAOS=all: every case. */
const all = process.env["CHAOS"] === "all";
/** CHAOS_SEED=n repeats a run's random choices. */
const seed = Number(process.env["CHAOS_SEED"] ?? 1);
/** SOAK_MINUTES=120 makes the churn last for two hours. */
const soakMinutes = Number(process.env["SOAK_MINUTES"] ?? 5);

export const effort = {
  all,
  seed,
  soakMinutes,
  /** @returns `few` in `make test`, `many` in `make chaos`. */
  cases: (few: number, many: number): number => (all ? many : few),
  /** @returns the first rows of a table in `make test`, whose unit tests cover all; all rows in `make chaos` */
  few: <T>(rows: readonly T[], count = 1): readonly T[] => (all ? rows : rows.slice(0, count)),
} as const;
