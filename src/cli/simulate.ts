/** The command `simulate`: the simulated platform alone. */
import { once } from "node:events";

import { platformNames } from "../../simulator/base/platforms.ts";
import { startSimulator } from "../../simulator/simulator.ts";
import { command } from "./base/command.ts";
import { UsageError } from "./base/exit.ts";

export const simulate = command({
  asks: "nothing",
  flags: {
    port: { is: "count", value: "N", least: 0, fallback: 0, about: "port of the API; 0 for a free one" },
    "control-port": {
      is: "count",
      value: "N",
      least: 0,
      fallback: 0,
      about: "port of the control endpoint; 0 for a free one",
    },
    surface: {
      is: "text",
      value: "SURFACE",
      choices: platformNames,
      fallback: "documented",
      about: `which operations it offers: ${platformNames.join(", ")}`,
    },
    speed: {
      is: "text",
      value: "N",
      fallback: "1",
      about: 'how many times faster than real time the platform works, or "instant"',
    },
    token: { is: "text", value: "TOKEN", about: "API token with scope Admin to accept; a random one when left out" },
    organization: { is: "text", value: "ID", about: "the organization's id; a random one when left out" },
    seed: { is: "text", value: "TEXT", about: "makes ids and tokens the same in every run" },
  },
  details:
    'It listens on loopback until SIGINT or SIGTERM. A deployment of a commit that starts with "bad" fails its build.',
  run: async ({ flags, io }) => {
    const { token, organization, seed, surface } = flags;
    const simulator = await startSimulator({
      surface,
      speed: speedOf(flags.speed),
      port: portOf(flags.port),
      controlPort: portOf(flags["control-port"]),
      ...(token !== undefined && { adminToken: token }),
      ...(organization !== undefined && { organizationId: organization }),
      ...(seed !== undefined && { seed }),
    });
    const lines = [
      ["platform", simulator.url],
      ["control", simulator.controlUrl],
      ["openapi", `${simulator.url}/openapi.json`],
      ["organization", simulator.organizationId],
      ...simulator.clusterIds.map((id) => ["cluster", id]),
      ...Object.entries(simulator.tokens).map(([name, value]) => [`token ${name}`, value]),
    ];
    io.stdout.write(lines.map(([name = "", value = ""]) => `${name.padEnd(15)}${value}\n`).join(""));
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    await simulator.close();
  },
});

function speedOf(text: string): number | "instant" {
  const speed = Number(text);
  if (text === "instant") return text;
  if (Number.isFinite(speed) && speed > 0) return speed;
  throw new UsageError(`--speed takes a positive number or "instant", not ${JSON.stringify(text)}.`);
}

function portOf(port: number): number {
  if (port <= 65_535) return port;
  throw new UsageError(`${port} is no port.`);
}
