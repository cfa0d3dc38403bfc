/**
 * The files of the page. They are written in browser/ and, by `npm run generate`, bundled into assets.json, which is
 * part of the operator's own bundle: under Node's permission model it reads no other file of its own.
 */
import files from "./assets.json" with { type: "json" };

export interface Asset {
  readonly type: string;
  readonly body: string;
}

/** Path → what is served there. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ["/", { type: "text/html; charset=utf-8", body: files["index.html"] }],
  ["/app.js", { type: "text/javascript; charset=utf-8", body: files["app.js"] }],
  ["/style.css", { type: "text/css; charset=utf-8", body: files["style.css"] }],
  ["/icon.svg", { type: "image/svg+xml", body: files["icon.svg"] }],
]);
