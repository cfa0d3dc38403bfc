import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * Which of some processes of this machine a loopback connection belongs to (proc(5): net/tcp, fd).
 * @param port the connection's on the side of that process
 * @returns undefined when it is none of them, or gone
 */
export function ownerOf(port: number, pids: readonly number[]): number | undefined {
  const inode = inodeOf(port);
  return inode === undefined ? undefined : pids.find((pid) => holds(pid, `socket:[${inode}]`));
}

function inodeOf(port: number): string | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  for (const line of readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1)) {
    const [, local = "", , , , , , , , inode] = line.trim().split(/\s+/);
    if (local.endsWith(`:${hex}`) && inode !== "0") return inode;
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
