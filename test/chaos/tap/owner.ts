import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The server's end of a local TCP connection, e.g. a `net.Socket`. */
export interface AcceptedConnection {
  readonly localPort?: number | undefined;
  readonly remotePort?: number | undefined;
}

/**
 * Returns the process that opened a loopback connection (proc(5): net/tcp, fd). It matches both ports, as a port may
 * belong to several connections.
 * @returns undefined if none of the processes holds the connection
 */
export function ownerOf(
  { localPort = 0, remotePort = 0 }: AcceptedConnection,
  pids: readonly number[],
): number | undefined {
  const inode = inodeOf({ from: remotePort, to: localPort });
  return inode === undefined ? undefined : pids.find((pid) => holds(pid, `socket:[${inode}]`));
}

function inodeOf({ from, to }: { readonly from: number; readonly to: number }): string | undefined {
  const [clientPort, serverPort] = [from, to].map((port) => `:${port.toString(16).toUpperCase().padStart(4, "0")}`) as [
    string,
    string,
  ];
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
