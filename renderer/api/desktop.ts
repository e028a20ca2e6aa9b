import type { ContractRouterClient } from '@orpc/contract';
import type { DesktopContract, DesktopState } from '../../shared/desktop/desktop-contract.ts';
import { MAX_PAGE_PATH_LENGTH, PAGE_PATH } from '../../shared/desktop/page-path.ts';

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

type MainChannel = 'gatehouse:engine-runs' | 'gatehouse:go' | 'gatehouse:quick';

/** Calls the listener with messages of the main process. Returns a function that unsubscribes. */
export function onMainMessage(
  channel: MainChannel,
  listener: (value: unknown) => void,
): () => void {
  const onMessage = ({ source, data }: MessageEvent<unknown>): void => {
    if (source === window) readMainMessage(data, channel, listener);
  };
  window.addEventListener('message', onMessage);
  return () => window.removeEventListener('message', onMessage);
}

/** Calls the listener when the data of a message to this window belongs to the channel. */
export function readMainMessage(
  data: unknown,
  channel: MainChannel,
  listener: (value: unknown) => void,
): void {
  if (typeof data !== 'object' || data === null) return;
  if ('channel' in data && data.channel === channel) {
    listener('value' in data ? data.value : undefined);
  }
}

/** Whether a value is the path of one of this page's screens. */
export function isPagePath(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_PAGE_PATH_LENGTH && PAGE_PATH.test(value);
}
