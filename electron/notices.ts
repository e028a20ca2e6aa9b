import { Notification } from 'electron';
import type { AppNotification } from '../host/status/notifications.ts';

/** Period within which the same state of the service is not shown again, because limits come and go. In milliseconds. */
const QUIET_MS = 15 * 60_000;
/** Maximum number of open notifications. The oldest are closed then, because their clicks could no longer be handled. */
const MAX_SHOWN = 50;

const NOT_SUPPORTED = 'This system shows no notifications.';

/** Possible reasons why a system shows no notification, besides the reported one: Linux often reports none. */
const HINTS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin:
    'macOS shows no notifications of an unsigned copy. A signed one must be allowed in System Settings, Notifications.',
  linux:
    'The settings of the desktop may not allow notifications, or no program that shows them runs.',
};

/** Parts of the app that notifications need. */
interface NoticesOptions {
  /** Whether the window is visible. */
  readonly isSeen: () => boolean;
  /** Is called when a notification is clicked, with the path that it leads to. */
  readonly open: (address: string) => void;
  /** Is called with why the system shows none, a sentence; with `null` once it has shown one again. */
  readonly onFailure: (sentence: string | null) => void;
}

/** Shows notifications unless the window is visible. A click opens the path of the notification. */
export class Notices {
  readonly #options: NoticesOptions;
  /** Referenced until they are closed, the oldest first: one that is garbage-collected loses its click (electron/electron#16922). */
  readonly #shown = new Set<Notification>();
  readonly #shownAt = new Map<string, number>();
  #failure: string | null = Notification.isSupported() ? null : NOT_SUPPORTED;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /** Why the system shows none, a sentence; `null` as long as no problem is known. */
  get failure(): string | null {
    return this.#failure;
  }

  notify(notices: readonly AppNotification[]): void {
    if (this.#options.isSeen() || !Notification.isSupported()) return;
    for (const notice of notices) this.#show(notice);
  }

  /** Shows a notification like `notify`, but not twice within a period. */
  notifyOnce(notices: readonly AppNotification[]): void {
    const since = Date.now() - QUIET_MS;
    const recent = notices.filter(({ title }) => (this.#shownAt.get(title) ?? 0) < since);
    for (const { title } of recent) this.#shownAt.set(title, Date.now());
    this.notify(recent);
  }

  #show({ title, body, address }: AppNotification): void {
    const shown = new Notification({ title, body });
    const forget = (): void => void this.#shown.delete(shown);
    shown.once('click', () => {
      forget();
      this.#options.open(address);
    });
    // Windows moves a notification that has timed out to its list, where it can still be clicked.
    shown.on('close', ({ reason }) => {
      if (reason !== 'timedOut') forget();
    });
    shown.once('failed', (_event, reason) => {
      forget();
      this.#setFailure(describeFailure(reason));
    });
    shown.once('show', () => this.#setFailure(null));
    this.#shown.add(shown);
    this.#closeOldest();
    shown.show();
  }

  #closeOldest(): void {
    for (const oldest of this.#shown) {
      if (this.#shown.size <= MAX_SHOWN) return;
      this.#shown.delete(oldest);
      oldest.close();
    }
  }

  #setFailure(failure: string | null): void {
    if (failure === this.#failure) return;
    this.#failure = failure;
    this.#options.onFailure(failure);
  }
}

function describeFailure(reason: string): string {
  const detail = reason.slice(0, 200).replace(/[.\s]+$/u, '');
  const sentence = `The system did not show the last notification${detail === '' ? '' : `: ${detail}`}.`;
  const hint = HINTS[process.platform];
  return hint === undefined ? sentence : `${sentence} ${hint}`;
}
