import type { ContractRouterClient } from '@orpc/contract';
import {
  type DesktopContract,
  type DesktopState,
  PagePath,
} from '../../shared/desktop-contract.ts';

/** Whether this page is the window of the desktop app: its preload script has set a global. */
export const ON_DESKTOP = 'gatehouse' in globalThis;

/** The system of the app, as Node calls it: `darwin`, `linux`, `win32`; empty in a browser. */
export const PLATFORM = String(Object(Reflect.get(globalThis, 'gatehouse')).platform ?? '');

/** The procedures of the desktop app, independent of the transport. */
export type DesktopCalls = ContractRouterClient<DesktopContract>;

const RETRY_PAUSE_MS = 1_000;

/** Follows the state of the desktop app as its main process reports it, until closed. */
export class Desktop {
  readonly calls: DesktopCalls;
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  #state: DesktopState | null = null;

  constructor(calls: DesktopCalls) {
    this.calls = calls;
    void this.#follow();
  }

  /** The state as last reported; `null` before the first report. */
  readonly state = (): DesktopState | null => this.#state;

  /** Calls the listener whenever the state has changed. Returns a function that unsubscribes. */
  readonly onState = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  close(): void {
    this.#closing.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#listen();
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
    }
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closing;
    try {
      for await (const state of await this.calls.state(undefined, { signal })) {
        this.#state = state;
        for (const listener of this.#listeners) listener();
      }
    } catch {
      // The port was closed, by this page or by the main process: connect again after a delay.
    }
  }
}

/** Calls the listener with messages of the main process. Returns a function that unsubscribes. */
export function onMainMessage(
  channel: 'gatehouse:engine-runs' | 'gatehouse:go' | 'gatehouse:quick',
  listener: (value: unknown) => void,
): () => void {
  const onMessage = ({ source, data }: MessageEvent<unknown>): void => {
    if (source !== window || typeof data !== 'object' || data === null) return;
    if ('channel' in data && data.channel === channel) {
      listener('value' in data ? data.value : undefined);
    }
  };
  window.addEventListener('message', onMessage);
  return () => window.removeEventListener('message', onMessage);
}

/** Whether a value is the path of one of this page's screens. */
export function isPagePath(value: unknown): value is string {
  return PagePath.safeParse(value).success;
}
