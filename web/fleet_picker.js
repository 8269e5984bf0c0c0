// Chooses the fleet whose sessions are shown, if there is more than one.

import { el, setHidden } from './dom.js';

export class FleetPicker {
  #label = document.getElementById('fleet-picker');
  #select = document.getElementById('fleet');
  #known = '';

  constructor(onFleet) {
    this.#select.addEventListener('change', () => onFleet(this.#select.value));
  }

  // `current` is the fleet that is shown; it may own nothing now, and so be missing from the list.
  update(fleets, current) {
    const names = fleets.map(({ fleet }) => fleet);
    if (current && !names.includes(current)) names.unshift(current);
    const known = JSON.stringify(names);
    if (known !== this.#known) {
      this.#known = known;
      this.#select.replaceChildren(...names.map((name) => el('option', { value: name }, name)));
    }
    if (current) this.#select.value = current;
    setHidden(this.#label, names.length < 2);
  }
}
