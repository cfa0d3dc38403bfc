import { killsAtEveryCall } from "./crash.ts";

killsAtEveryCall("full");
