import { Notification } from 'electron';
import type { Notice } from '../hosting/news.ts';

/** What is told of the service's state once must not be told again at once: limits come and go. */
const QUIET_MS = 15 * 60_000;

/** Shows notices, unless the window is seen anyway. A click leads there. */
export class Notices {
  readonly #isSeen: () => boolean;
  readonly #open: (address: string) => void;
  /** Held until they are gone: one that is forgotten is never clicked. */
  readonly #shown = new Set<Notification>();
  readonly #toldAt = new Map<string, number>();

  constructor(isSeen: () => boolean, open: (address: string) => void) {
    this.#isSeen = isSeen;
    this.#open = open;
  }

  tell(notices: readonly Notice[]): void {
    if (this.#isSeen() || !Notification.isSupported()) return;
    for (const notice of notices) this.#show(notice);
  }

  /** As `tell`, but not twice within a while. */
  tellOnce(notices: readonly Notice[]): void {
    const since = Date.now() - QUIET_MS;
    const fresh = notices.filter(({ title }) => (this.#toldAt.get(title) ?? 0) < since);
    for (const { title } of fresh) this.#toldAt.set(title, Date.now());
    this.tell(fresh);
  }

  #show({ title, body, address }: Notice): void {
    const shown = new Notification({ title, body });
    const forget = (): void => void this.#shown.delete(shown);
    shown.once('click', () => {
      forget();
      this.#open(address);
    });
    shown.once('close', forget);
    shown.once('failed', forget);
    this.#shown.add(shown);
    shown.show();
  }
}
