// The name of an owner, with its colour. The name is the information, the colour only helps to find it again.

import { el, setAttribute, setHidden, setText } from './dom.js';

export class OwnerLabel {
  #swatch = el('span', { class: 'swatch', 'aria-hidden': 'true' });
  #name = el('span', { class: 'owner-name' });
  element = el('span', { class: 'owner' }, this.#swatch, this.#name);
  #colours;

  constructor(colours) {
    this.#colours = colours;
  }

  update(owner, nobody = 'nobody') {
    setText(this.#name, owner ?? nobody);
    setAttribute(this.element, 'title', owner);
    setHidden(this.#swatch, owner === null);
    setAttribute(this.element, 'class', owner === null ? 'owner nobody' : 'owner');
    if (owner !== null) setAttribute(this.#swatch, 'data-owner', this.#colours.of(owner));
  }
}
