import packageJson from "../../package.json" with { type: "json" };

/** The operator's version. */
export const OPERATOR_VERSION = packageJson.version;
