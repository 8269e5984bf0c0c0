// Asks for the token when the server wants one. Resolves nothing by itself: whoever asked tries again, and is refused again
// if the token is wrong.

import { forgetToken, isToken, storeToken } from './api.js';

export class TokenPrompt {
  #dialog = document.getElementById('token-prompt');
  #input = document.getElementById('token');
  #refused = document.getElementById('token-refused');

  constructor(onToken) {
    document.getElementById('token-form').addEventListener('submit', (event) => {
      event.preventDefault();
      const token = this.#input.value.trim();
      if (!isToken(token)) {
        this.#complain('A token consists of ASCII letters, digits and punctuation, without spaces.');
        return;
      }
      storeToken(token);
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
    this.#complain(hadToken ? 'The server refused that token.' : '');
    this.#dialog.showModal();
    this.#input.focus();
  }

  #complain(text) {
    this.#refused.hidden = text === '';
    this.#refused.textContent = text;
  }
}
