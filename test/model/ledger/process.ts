/**
 * The reconciles of all processes, as a tree. A reconcile is a function of its first object, of its process's memory
 * and of the answers; so a process that waits for an answer is data: a node, whose edges are answers. Every node is run
 * once, however many worlds it occurs in.
 */
import type { Answer, Stand, Start } from "./exchange.ts";
import { run, type Rules } from "./run.ts";

interface Node {
  readonly start: Start;
  readonly answers: readonly Answer[];
  readonly stand: Stand;
}

/** All reconciles so far. */
export type Processes = ReturnType<typeof createProcesses>;

export function createProcesses(broken: Partial<Rules> = {}) {
  const nodes: Node[] = [];
  const known = new Map<string, number>();
  const names = createNames();
  const find = async (key: string, start: Start, answers: readonly Answer[]): Promise<number> => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const stand = await run(broken, start, answers);
    known.set(key, nodes.length);
    return nodes.push({ start, answers, stand }) - 1;
  };
  const nodeAt = (node: number): Node => {
    const found = nodes[node];
    if (found === undefined) throw new TypeError(`no node ${node}`);
    return found;
  };
  return {
    begin: (start: Start): Promise<number> => {
      const { object, memory, leads, nonce } = start;
      return find(`${names.of(object)} ${names.of(memory)} ${leads} ${nonce}`, start, []);
    },
    answer: (node: number, answer: Answer): Promise<number> => {
      const { start, answers } = nodeAt(node);
      const { at, leads, reply } = answer;
      return find(`after ${node} ${at} ${leads} ${names.of(reply)}`, start, [...answers, answer]);
    },
    stand: (node: number): Stand => nodeAt(node).stand,
    /** The start of a reconcile, and its answers so far. */
    basis: nodeAt,
  };
}

/** Short names of values: values have the same name exactly if their JSON is the same. */
export function createNames() {
  const byText = new Map<string, number>();
  const byValue = new WeakMap<object, number>();
  return {
    of: (value: object | null): number => {
      if (value === null) return -1;
      const held = byValue.get(value);
      if (held !== undefined) return held;
      const text = JSON.stringify(value);
      const name = byText.get(text) ?? byText.size;
      byText.set(text, name);
      byValue.set(value, name);
      return name;
    },
  };
}
