/** The few things that the page does with elements. Texts enter as text nodes alone. */

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

/** Sets the text if it is another one, so that a selection in it survives. */
export function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
