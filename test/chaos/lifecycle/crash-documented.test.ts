import { killsAtEveryCall } from "./crash.ts";

killsAtEveryCall("documented");
