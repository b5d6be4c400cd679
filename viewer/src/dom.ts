// Elements in few words. Text is always text: nothing from a scenario becomes markup.

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

/** Puts text into an element where it is another one. */
export function say(where: HTMLElement, words: string): void {
  if (where.textContent !== words) where.textContent = words;
}
