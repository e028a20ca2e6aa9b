import type { BrowserContext } from '@playwright/test';

/** The errors of calls that a page made while its engine was gone. */
export const UNANSWERED =
  /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_SOCKET_NOT_CONNECTED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE/u;

/** Collects errors of the pages: exceptions, errors on the console, violations of the policy, calls of another machine. */
export class PageGuard {
  readonly #violations: string[] = [];
  // A planned refusal, which the page tells at its field; the browser notes every answer that is an error.
  readonly #allowed: RegExp[] = [/status of 422/u];

  /** Watches all pages of a context, also those opened later. */
  watch(context: BrowserContext): void {
    context.on('weberror', (fault) => this.#record(`thrown: ${fault.error().stack ?? ''}`));
    context.on('console', (message) => {
      // Violations of the content security policy are told here, too.
      if (message.type() !== 'error') return;
      this.#record(`${message.text()} (${message.location().url})`);
    });
    context.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      const own = hostname === '127.0.0.1' || hostname.endsWith('.localhost');
      const away = protocol.startsWith('http') && !own;
      if (away) this.#record(`called ${request.url()}`);
    });
  }

  allow(violation: RegExp): void {
    this.#allowed.push(violation);
  }

  violations(): readonly string[] {
    return this.#violations.filter(
      (message) => !this.#allowed.some((pattern) => pattern.test(message)),
    );
  }

  #record(violation: string): void {
    this.#violations.push(violation);
  }
}
