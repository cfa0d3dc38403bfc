import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Socket } from "node:net";

/**
 * Returns the process that opened a loopback connection (proc(5): net/tcp, fd). It matches both ports, as a port may
 * belong to several connections.
 * @param socket the server's end of the connection
 * @returns undefined if none of the processes holds the connection
 */
export function ownerOf(socket: Socket, pids: readonly number[]): number | undefined {
  const inode = inodeOf(socket);
  return inode === undefined ? undefined : pids.find((pid) => holds(pid, `socket:[${inode}]`));
}

function inodeOf({ localPort, remotePort }: Socket): string | undefined {
  const textOf = (port = 0): string => `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const [clientPort, serverPort] = [textOf(remotePort), textOf(localPort)];
  for (const line of readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1)) {
    const [, local = "", remote = "", , , , , , , inode] = line.trim().split(/\s+/);
    if (local.endsWith(clientPort) && remote.endsWith(serverPort) && inode !== "0") return inode;
  }
  return undefined;
}

function holds(pid: number, socket: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => target(`/proc/${pid}/fd/${fd}`) === socket);
  } catch {
    return false;
  }
}

function target(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
