// Gives every owner one of the colours of theme.css, and the same one for as long as possible. Pure.
//
// The name alone decides which colour is tried first, so that most owners look the same in every browser. Two owners of the
// same fleet should not share one, though: who comes second takes the next that is free. With more owners than colours some
// must share; the name is always written beside the colour.

export const COLOURS = 10;
const OWNERS_MAX = 2_000;

export class OwnerColours {
  #slots = new Map();
  #uses = new Array(COLOURS).fill(0);

  // Sorted, so that the same owners get the same colours in whichever order the server lists them.
  learn(owners) {
    const unknown = new Set(owners.filter((owner) => owner !== null && !this.#slots.has(owner)));
    // Instances come and go for months. A page that has seen very many of them begins anew.
    if (this.#slots.size + unknown.size > OWNERS_MAX) {
      this.#slots.clear();
      this.#uses.fill(0);
    }
    for (const owner of [...unknown].sort()) this.#assign(owner);
  }

  of(owner) {
    if (!this.#slots.has(owner)) this.learn([owner]);
    return this.#slots.get(owner);
  }

  #assign(owner) {
    const first = hash(owner) % COLOURS;
    const least = Math.min(...this.#uses);
    let slot = first;
    while (this.#uses[slot] > least) slot = (slot + 1) % COLOURS;
    this.#slots.set(owner, slot);
    this.#uses[slot] += 1;
  }
}

// FNV-1a, with a final mix: the ids of a fleet differ in one digit at the end, and must still be spread.
export function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value ^= value >>> 15;
  value = Math.imul(value, 0x2c1b3c6d);
  return (value ^ (value >>> 13)) >>> 0;
}
