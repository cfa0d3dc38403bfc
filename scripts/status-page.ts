/** Bundles the files of the status page into one, which the operator's bundle contains. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { rolldown } from "rolldown";

const folder = join(import.meta.dirname, "../src/console/page/browser");

/** @returns assets.json. @throws Error when a module cannot be bundled */
export async function statusPageAssets(): Promise<string> {
  const text = (name: string): Promise<string> => readFile(join(folder, name), "utf8");
  const files = {
    "index.html": await text("index.html"),
    "app.js": await bundled("main.ts"),
    "style.css": await text("style.css"),
    "icon.svg": await text("icon.svg"),
  };
  return `${JSON.stringify(files, undefined, 2)}\n`;
}

async function bundled(entry: string): Promise<string> {
  const bundle = await rolldown({ input: join(folder, entry), platform: "browser" });
  try {
    const { output } = await bundle.generate({ format: "esm", codeSplitting: false, minify: true });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}
