/** The declared settings of an application. Pure. */
import type { Application, ApplicationInput, ApplicationPort } from "../../platform/areas/applications.ts";
import { settingsOf, unsentPaths, type Settings } from "../service/settings.ts";
import type { ApplicationSpec } from "./crd.ts";
import type { ApplicationContext } from "./model.ts";

type Port = NonNullable<ApplicationSpec["ports"]>[number];

/** Returns what the spec declares. Everything else is left alone. */
export function declaredSettings(spec: ApplicationSpec): Settings {
  return settingsOf({
    "spec.name": spec.name,
    "spec.gitRepository.url": spec.gitRepository.url,
    "spec.gitRepository.branch": spec.gitRepository.branch,
    "spec.gitRepository.provider": spec.gitRepository.provider,
    "spec.gitRepository.rootPath": spec.gitRepository.rootPath,
    "spec.buildMode": spec.buildMode,
    "spec.dockerfilePath": spec.dockerfilePath,
    "spec.cpu": spec.cpu,
    "spec.memory": spec.memory,
    "spec.minRunningInstances": spec.minRunningInstances,
    "spec.maxRunningInstances": spec.maxRunningInstances,
    "spec.ports": spec.ports?.map(portOf).toSorted(byPort),
  });
}

/** Returns the platform's values of the same fields; of ports, only the members that the spec declares. */
export function observedSettings(record: Application, spec: ApplicationSpec): Settings {
  const repository = record.gitRepository;
  return settingsOf({
    "spec.name": record.name,
    "spec.gitRepository.url": repository?.url,
    "spec.gitRepository.branch": repository?.branch,
    "spec.gitRepository.provider": repository?.provider,
    "spec.gitRepository.rootPath": repository?.rootPath,
    "spec.buildMode": record.buildMode,
    "spec.dockerfilePath": record.dockerfilePath,
    "spec.cpu": record.cpu,
    "spec.memory": record.memory,
    "spec.minRunningInstances": record.minRunningInstances,
    "spec.maxRunningInstances": record.maxRunningInstances,
    "spec.ports": record.ports?.map((port) => observedPort(port, spec.ports)).toSorted(byPort),
  });
}

/** Returns the paths of the declared settings that differ from what was last sent; none when that is not known. */
export function unsentSettings({ spec, memory }: ApplicationContext): readonly string[] {
  return unsentPaths(declaredSettings(spec), memory.written);
}

/** Returns the body of a create or a PUT. */
export function applicationInput(spec: ApplicationSpec): ApplicationInput {
  const { name, gitRepository, buildMode, dockerfilePath, cpu, memory, ports } = spec;
  const { minRunningInstances, maxRunningInstances } = spec;
  const sizes = { cpu, memory, minRunningInstances, maxRunningInstances };
  return { name, gitRepository, buildMode, dockerfilePath, ...sizes, ports: ports?.map(portOf) };
}

function portOf({ internalPort, externalPort, protocol, publiclyAccessible }: Port): Port {
  return { internalPort, externalPort, protocol, publiclyAccessible };
}

function observedPort(port: ApplicationPort, declared: readonly Port[] | undefined): Port {
  const wanted = declared?.find(({ internalPort }) => internalPort === port.internalPort);
  return {
    internalPort: port.internalPort,
    // What the platform does not show of a port does not differ.
    externalPort: wanted?.externalPort && (port.externalPort ?? wanted.externalPort),
    protocol: wanted?.protocol && (port.protocol ?? wanted.protocol),
    publiclyAccessible: port.publiclyAccessible ?? wanted?.publiclyAccessible ?? false,
  };
}

function byPort(left: { readonly internalPort: number }, right: { readonly internalPort: number }): number {
  return left.internalPort - right.internalPort;
}
