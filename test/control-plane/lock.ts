import { mkdir, open, readFile, rm, stat, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const heartbeatMs = 5_000;
/** A holder that has not been heard of for so long is gone, whoever has its process id now. */
const silenceMs = 60_000;
const pollMs = 250;

/**
 * Runs `work` while this process alone holds the lock file, which holds its process id. A lock whose process is gone
 * is broken. Two processes that break the same lock at the same moment may both get in: the work must bear
 * that (it writes under temporary names), the lock only saves doing it twice.
 */
export async function withLock<T>(file: string, progress: (line: string) => void, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  await take(file, progress);
  const heartbeat = setInterval(() => {
    utimes(file, new Date(), new Date()).catch(() => {});
  }, heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(file, { force: true });
  }
}

async function take(file: string, progress: (line: string) => void): Promise<void> {
  let reported = false;
  while (!(await create(file))) {
    const holder = await holderOf(file);
    if (holder === "gone") {
      await rm(file, { force: true });
      continue;
    }
    if (!reported) progress(`waiting for process ${holder}, which is preparing the same (${file})`);
    reported = true;
    await sleep(pollMs);
  }
}

async function create(file: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx");
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** The process id in the lock file, or "gone" when that process, or the file, no longer exists. */
async function holderOf(file: string): Promise<number | "gone"> {
  try {
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs > silenceMs) return "gone";
    const text = await readFile(file, "utf8");
    // Created a moment ago, not written yet.
    if (text === "") return Number.NaN;
    process.kill(Number(text), 0);
    return Number(text);
  } catch (error) {
    // EPERM: it lives, and is somebody else's.
    if (isCode(error, "EPERM")) return Number.NaN;
    return "gone";
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
