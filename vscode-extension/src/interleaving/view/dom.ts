// Making elements, and putting new ones in place of old ones without losing the keyboard's place.

type Child = Node | string | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

const SVG = 'http://www.w3.org/2000/svg';

/** An element; `class`, attributes, and listeners by their names (`onclick`). */
export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): HTMLElement {
  const element = document.createElement(tag);
  dress(element, attributes);
  element.append(...children.filter(c => c !== undefined && c !== false));
  return element;
}

/** An element of a drawing. */
export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS(SVG, tag);
  dress(element, attributes);
  element.append(...children.filter(c => c !== undefined && c !== false));
  return element;
}

/** A button; its name is what screen readers and tests know it by, `key` is how its focus survives. */
export function button(
  name: string,
  press: () => void,
  attributes: Attributes = {},
  ...shown: Child[]
): HTMLElement {
  return h(
    'button',
    { type: 'button', 'aria-label': name, 'data-key': name, onclick: press, ...attributes },
    ...(shown.length > 0 ? shown : [name]),
  );
}

/** Puts an element at a place in pixels. */
export function place(
  element: HTMLElement,
  box: Partial<Record<'left' | 'top' | 'width' | 'height', number>>,
) {
  for (const [side, pixels] of Object.entries(box)) {
    element.style.setProperty(side, `${pixels}px`);
  }
  return element;
}

/** Replaces what is in a container; what had the focus has it again. */
export function refill(container: Element, ...children: Child[]): void {
  const key = container.contains(document.activeElement)
    ? document.activeElement?.getAttribute('data-key')
    : undefined;
  container.replaceChildren(...children.filter(c => c !== undefined && c !== false));
  if (key) {
    const again = [...container.querySelectorAll<HTMLElement>('[data-key]')];
    again.find(e => e.getAttribute('data-key') === key)?.focus({ preventScroll: true });
  }
}

/** The class that gives a thread's colour. */
export function colour(thread: number): string {
  return `thread-${thread % 8}`;
}

function dress(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value);
    } else if (value === true) {
      element.setAttribute(name, '');
    } else if (value !== undefined && value !== false) {
      element.setAttribute(name, String(value));
    }
  }
}
