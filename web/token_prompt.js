// Asks for the token when the server wants one. Resolves nothing by itself: whoever asked tries again, and is refused again
// if the token is wrong.

import { forgetToken, storeToken } from './api.js';

export class TokenPrompt {
  #dialog = document.getElementById('token-prompt');
  #input = document.getElementById('token');
  #refused = document.getElementById('token-refused');

  constructor(onToken) {
    document.getElementById('token-form').addEventListener('submit', (event) => {
      event.preventDefault();
      storeToken(this.#input.value.trim());
      this.#input.value = '';
      this.#dialog.close();
      onToken();
    });
    // Without a token there is nothing to see behind the prompt.
    this.#dialog.addEventListener('cancel', (event) => event.preventDefault());
  }

  get open() {
    return this.#dialog.open;
  }

  ask(hadToken) {
    forgetToken();
    if (this.#dialog.open) return;
    this.#refused.hidden = !hadToken;
    this.#refused.textContent = hadToken ? 'The server refused that token.' : '';
    this.#dialog.showModal();
    this.#input.focus();
  }
}
