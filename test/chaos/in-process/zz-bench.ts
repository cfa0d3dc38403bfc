import { createBed } from "/work/main/test/chaos/in-process/bed.ts";
import { lifeOn } from "/work/main/test/chaos/in-process/life.ts";
import { buildPlatforms } from "/work/main/test/chaos/in-process/platform.ts";
const p = await buildPlatforms();
for (const surface of ["full", "documented"] as const) {
  const times: number[] = [];
  let n = 0;
  for (let i = 0; i < 150; i++) {
    const c = process.cpuUsage();
    const bed = createBed(p, { surface, faults: [] });
    for (const phase of lifeOn(surface)) {
      phase.act(bed);
      await bed.until(() => phase.isOver(bed), 1_800_000);
    }
    const d = process.cpuUsage(c);
    times.push((d.user + d.system) / 1000);
    n = bed.gate.trace.length;
  }
  console.log(surface, n, times.map((t) => t.toFixed(0)).join(" "));
}
await p.close();
