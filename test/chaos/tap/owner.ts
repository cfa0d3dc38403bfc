import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A TCP connection of this machine, as the side that accepted it sees it: `net.Socket` is one. */
export interface Accepted {
  readonly localPort?: number | undefined;
  readonly remotePort?: number | undefined;
}

/**
 * Which of some processes of this machine a loopback connection belongs to (proc(5): net/tcp, fd). One port may belong
 * to several connections that lead to different ports.
 * @returns undefined when it is none of them, or gone
 */
export function ownerOf({ localPort = 0, remotePort = 0 }: Accepted, pids: readonly number[]): number | undefined {
  const inode = inodeOf({ from: remotePort, to: localPort });
  return inode === undefined ? undefined : pids.find((pid) => holds(pid, `socket:[${inode}]`));
}

function inodeOf({ from, to }: { readonly from: number; readonly to: number }): string | undefined {
  const [own, other] = [from, to].map((port) => `:${port.toString(16).toUpperCase().padStart(4, "0")}`) as [
    string,
    string,
  ];
  for (const line of readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1)) {
    const [, local = "", remote = "", , , , , , , inode] = line.trim().split(/\s+/);
    if (local.endsWith(own) && remote.endsWith(other) && inode !== "0") return inode;
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
