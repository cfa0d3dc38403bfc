/** How much a run may cost: `make test` takes a choice of the cases, `make chaos` all of them. */

/** CHAOS=all: every case. */
const all = process.env["CHAOS"] === "all";
/** CHAOS_SEED=n repeats a run's random choices. */
const seed = Number(process.env["CHAOS_SEED"] ?? 1);
/** SOAK_MINUTES=120 has the churn go on for two hours. */
const soakMinutes = Number(process.env["SOAK_MINUTES"] ?? 5);

export const effort = {
  all,
  seed,
  soakMinutes,
  /** @returns `few` in `make test`, `many` in `make chaos`. */
  cases: (few: number, many: number): number => (all ? many : few),
  /** @returns the first rows of a table in `make test`, whose unit tests go through all; all of them in `make chaos`. */
  few: <T>(rows: readonly T[], count = 1): readonly T[] => (all ? rows : rows.slice(0, count)),
} as const;
