/** The operator as a process: signals and uncaught errors. */
import { once } from "node:events";

import type { Config } from "../config/config.ts";
import { OPERATOR_VERSION } from "../config/names.ts";
import { createLevelSwitch, createLogs } from "../observability/logger.ts";
import { createRedactor } from "../observability/secrets.ts";
import { createOperator } from "./operator.ts";

/** A graceful stop ends within ten seconds; Kubernetes gives 30 by default. */
const STOP_MS = 9_800;
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/**
 * Runs the operator until SIGTERM or SIGINT. A second signal, a lost lease and an uncaught error end the process at
 * once.
 * @returns the exit code: 0 after a clean stop, 1 when it could not start or had to abandon work.
 */
export async function runOperator(config: Config): Promise<number> {
  const redactor = createRedactor();
  const levels = createLevelSwitch(config.logLevel);
  const logs = createLogs({ levels: levels.now, redactor });
  const log = logs.app;
  // The log writes its last lines at the exit.
  const die = (): never => process.exit(1);
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      log.error("uncaught error: exiting", { error });
      die();
    });
  }
  const signal = Promise.race(SIGNALS.map((name) => once(process, name).then(() => name)));
  try {
    const operator = createOperator({
      config,
      version: OPERATOR_VERSION,
      logs,
      levels,
      redactor,
      onFatal: die,
    });
    await operator.start();
    log.info("stopping", { signal: await signal });
    for (const again of SIGNALS) process.once(again, die);
    const overdue = setTimeout(() => {
      log.error("the stop takes too long: ending");
      die();
    }, STOP_MS);
    const clean = await operator.stop();
    clearTimeout(overdue);
    log.info("stopped", { result: clean ? "clean" : "abandoned work" });
    return clean ? 0 : 1;
  } catch (error) {
    log.error("cannot start", { error });
    return 1;
  }
}
