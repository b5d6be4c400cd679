// Creates DOM elements. Content is inserted as text, so that no scenario can inject markup.

type Attributes = Record<string, string | number | boolean>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...content: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false) continue;
    made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...content);
  return made;
}

/** Sets the text of an element, if it differs. */
export function setText(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}
