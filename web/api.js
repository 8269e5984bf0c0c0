// Asks the server. Every request carries the token, if there is one; it is kept for this tab only, and never in the address.

const TOKEN = 'tenure.token';
// The server gives up after 10 s and says why, which tells more than a timeout of our own.
const TIMEOUT = 15_000;

export class ApiError extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

// What a header can carry. With anything else no request would ever leave the browser.
export const isToken = (text) => /^[\x21-\x7e]+$/.test(text);

export function storedToken() {
  const token = sessionStorage.getItem(TOKEN);
  return token !== null && isToken(token) ? token : null;
}
export const storeToken = (token) => sessionStorage.setItem(TOKEN, token);
export const forgetToken = () => sessionStorage.removeItem(TOKEN);

// Leaves out what is not given, so that the defaults of the server apply.
export function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

export class Api {
  #onRefused;

  // `onRefused(hadToken)` is called when the server wants a token, or another one.
  constructor(onRefused) {
    this.#onRefused = onRefused;
  }

  async get(path, parameters = {}, signal = undefined) {
    const limits = [AbortSignal.timeout(TIMEOUT), signal].filter(Boolean);
    const response = await this.#fetch(path + query(parameters), {}, AbortSignal.any(limits));
    try {
      return await response.json();
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError(brokenAnswer(error));
    }
  }

  // The event stream: the same rules, but it may last.
  open(path, parameters, headers, signal) {
    return this.#fetch(path + query(parameters), headers, signal);
  }

  async #fetch(url, headers, signal) {
    const token = storedToken();
    let response;
    try {
      response = await fetch(`/api/v1/${url}`, {
        cache: 'no-store',
        credentials: 'omit',
        headers: token ? { ...headers, Authorization: `Bearer ${token}` } : headers,
        signal,
      });
    } catch (error) {
      // Whoever ended the request knows why.
      if (signal?.aborted && error.name !== 'TimeoutError') throw error;
      throw new ApiError(error.name === 'TimeoutError' ? 'the server does not answer' : 'the server cannot be reached');
    }
    if (response.ok) return response;
    // Somebody may have entered another token while this request was under way; then it says nothing about that one.
    if (response.status === 401 && storedToken() === token) this.#onRefused(token !== null);
    throw new ApiError(await reason(response), response.status);
  }
}

// Why an answer that had begun cannot be read.
function brokenAnswer(error) {
  if (error.name === 'SyntaxError') return 'the server sent an answer that is not JSON';
  if (error.name === 'TimeoutError') return 'the server did not finish its answer';
  return 'the connection to the server broke';
}

// Errors of the API are JSON; those of the HTTP server are a line of text.
async function reason(response) {
  const text = (await response.text().catch(() => '')).trim();
  try {
    return JSON.parse(text).error ?? text;
  } catch {
    return text.slice(0, 300) || `the server answered ${response.status}`;
  }
}
