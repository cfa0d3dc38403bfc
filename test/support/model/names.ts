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
