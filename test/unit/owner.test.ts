import { spawn } from "node:child_process";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";

import { expect, it } from "vitest";

import { ownerOf } from "../chaos/tap/owner.ts";

/** A server of this process, and the connections that it accepts. */
async function listen(): Promise<{ readonly server: net.Server; readonly port: number }> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

it("the owner of a connection is distinguished from that of another one with the same port", async () => {
  const [one, two] = [await listen(), await listen()];
  const unused = await listen();
  unused.server.close();
  const from = { host: "127.0.0.1", localAddress: "127.0.0.1", localPort: unused.port };
  const mine = net.connect({ ...from, port: one.port });
  const [accepted] = (await once(one.server, "connection")) as [net.Socket];
  const options = JSON.stringify({ ...from, port: two.port });
  const child = spawn(process.execPath, ["-e", `require("node:net").connect(${options})`], { stdio: "inherit" });
  try {
    const [others] = (await once(two.server, "connection")) as [net.Socket];
    const pids = [process.pid, child.pid ?? 0];
    expect(others.remotePort).toBe(accepted.remotePort);
    expect([ownerOf(accepted, pids), ownerOf(others, pids)]).toEqual(pids);
    expect(ownerOf(others, [process.pid])).toBeUndefined();
    expect(ownerOf({}, pids)).toBeUndefined();
    others.destroy();
  } finally {
    child.kill();
    mine.destroy();
    accepted.destroy();
    one.server.close();
    two.server.close();
  }
});
