/** The type of a panel of the Grafana dashboard, and the expressions that several panels share. */

export interface Panel {
  /** Unique in the dashboard. */
  readonly title: string;
  readonly about: string;
  readonly is: "stat" | "timeseries" | "table";
  /** Legend → PromQL. */
  readonly shows: Readonly<Record<string, string>>;
  readonly unit?: "short" | "s" | "percentunit" | "reqps" | "bytes" | "ops";
  /** For a stat: its colors, each from a value on. */
  readonly limits?: readonly (readonly [from: number, color: "green" | "orange" | "red"])[];
  /** For a stat: whether it shows the name of the series instead of the number. */
  readonly asName?: boolean;
  /** In columns, of which a row has 24. */
  readonly width: number;
  /** In units of 30 pixels. */
  readonly height: number;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** Selects the series of the chosen installation. */
export const IN = 'namespace=~"$namespace", job=~"$job"';
export const KINDS = 'controller=~"$controller"';
export const QUEUE = 'name="platform-operator"';
const WINDOW = "[$__rate_interval]";
/** The range for rare events such as deployments: a range of minutes would be empty most of the time. */
export const HOUR = "[1h]";
export const PER_HOUR = "Each point covers the hour before it.";
/** 0 if an operator is scraped, else no data. */
export const NONE = `0 * sum(leader_election_master_status{${IN}})`;
/** The objectives, as in helm-chart/files/alerts.yaml: the seconds, and the share of changes that may take longer. */
const OBJECTIVES = { call: [30, 0.01], ready: [900, 0.05] } as const;
/** The job of an alert is that of the operator, or empty as that of PlatformOperatorAbsent. */
export const ALERTS = 'ALERTS{alertstate="firing", alertname=~"Platform.+", job=~"$job|"}';
export const BURN: NonNullable<Panel["limits"]> = [
  [0, "green"],
  [1, "orange"],
  [6, "red"],
];
export const BAD_ABOVE_ZERO: NonNullable<Panel["limits"]> = [
  [0, "green"],
  [1, "orange"],
];

export const rate = (metric: string, labels = ""): string =>
  `rate(${metric}{${IN}${labels === "" ? "" : `, ${labels}`}}${WINDOW})`;
export const quantile = (q: number, metric: string, by: string, labels = ""): string =>
  `histogram_quantile(${q}, sum by (le${by === "" ? "" : `, ${by}`}) (${rate(`${metric}_bucket`, labels)}))`;
/** The increase of a counter within an hour. */
export const hourly = (metric: string, labels = ""): string =>
  `increase(${metric}{${IN}${labels === "" ? "" : `, ${labels}`}}${HOUR})`;
export const hourlyQuantile = (q: number, metric: string, by = ""): string =>
  `histogram_quantile(${q}, sum by (le${by === "" ? "" : `, ${by}`}) (${hourly(`${metric}_bucket`)}))`;
/** The burn rate of an objective: the share of changes that missed it within an hour, divided by the allowed share. */
export const burn = (objective: keyof typeof OBJECTIVES): string => {
  const [seconds, allowed] = OBJECTIVES[objective];
  const metric = `platform_operator_apply_to_${objective}_seconds`;
  const kept = `sum(${hourly(`${metric}_bucket`, `le=~"${seconds}(\\\\.0)?"`)}) / sum(${hourly(`${metric}_count`)})`;
  return `(1 - ${kept}) / ${allowed}`;
};
export const stat = (title: string, about: string, expr: string, more: Partial<Panel> = {}): Panel => ({
  title,
  about,
  is: "stat",
  shows: { "": expr },
  width: 3,
  height: 4,
  ...more,
});
export const graph = (title: string, about: string, shows: Panel["shows"], unit: Panel["unit"] = "short"): Panel => ({
  title,
  about,
  is: "timeseries",
  shows,
  unit,
  width: 8,
  height: 8,
});

export const quarter = (title: string, about: string, shows: Panel["shows"]): Panel => ({
  ...graph(title, about, shows),
  width: 6,
});
