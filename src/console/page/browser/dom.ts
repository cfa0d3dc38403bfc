/** Helpers for elements. Texts are inserted only as text nodes. */

/** @returns the element of the page with that id. @throws Error when index.html has no such element */
export function byId<Type extends HTMLElement>(id: string, type: new () => Type): Type {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`there is no ${id}`);
}

/** @returns a new element. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  name = "",
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (name !== "") element.className = name;
  element.append(...children);
  return element;
}

/** Sets the text if it differs, so that a selection in it survives. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** @returns whether the text was copied to the clipboard */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- the only way outside of a secure context
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
