import { Notification } from 'electron';
import type { AppNotification } from '../host/status/notifications.ts';

/** For so long the same state of the service is not told again: limits come and go. Milliseconds. */
const QUIET_MS = 15 * 60_000;
/** More than a person would look at. The oldest are taken back then, for they could not be clicked any more. */
const MOST_HELD = 50;

const NO_NOTICES = 'This system shows no notices of programs.';

/** These may be why a system shows no notice, beside the reason that it gives: Linux often gives none. */
const HINTS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin:
    'macOS shows none of a copy that is not signed. One that is has to be allowed in System Settings, Notifications.',
  linux: 'The settings of the desktop may not allow notices, or no program that shows them runs.',
};

/** Notices use these parts of the app. */
interface NoticesPlan {
  /** Whether the window is seen anyway. */
  readonly isSeen: () => boolean;
  /** A notice was clicked that leads there. */
  readonly open: (address: string) => void;
  /** Why the system shows none, a sentence; `null` once it has shown one again. */
  readonly onTrouble: (sentence: string | null) => void;
}

/** Shows notices, unless the window is seen anyway. A click leads there. */
export class Notices {
  readonly #plan: NoticesPlan;
  /** Held until they are gone, the oldest first: one that is forgotten is never clicked (electron/electron#16922). */
  readonly #shown = new Set<Notification>();
  readonly #toldAt = new Map<string, number>();
  #trouble: string | null = Notification.isSupported() ? null : NO_NOTICES;

  constructor(plan: NoticesPlan) {
    this.#plan = plan;
  }

  /** Why the system shows none, a sentence; `null` as long as nothing is known to be wrong. */
  get trouble(): string | null {
    return this.#trouble;
  }

  tell(notices: readonly AppNotification[]): void {
    if (this.#plan.isSeen() || !Notification.isSupported()) return;
    for (const notice of notices) this.#show(notice);
  }

  /** As `tell`, but not twice within a while. */
  tellOnce(notices: readonly AppNotification[]): void {
    const since = Date.now() - QUIET_MS;
    const fresh = notices.filter(({ title }) => (this.#toldAt.get(title) ?? 0) < since);
    for (const { title } of fresh) this.#toldAt.set(title, Date.now());
    this.tell(fresh);
  }

  #show({ title, body, address }: AppNotification): void {
    const shown = new Notification({ title, body });
    const forget = (): void => void this.#shown.delete(shown);
    shown.once('click', () => {
      forget();
      this.#plan.open(address);
    });
    // Windows moves one that has timed out to its list, where it can still be clicked.
    shown.on('close', ({ reason }) => {
      if (reason !== 'timedOut') forget();
    });
    shown.once('failed', (_event, reason) => {
      forget();
      this.#turn(troubleWords(reason));
    });
    shown.once('show', () => this.#turn(null));
    this.#shown.add(shown);
    this.#takeBack();
    shown.show();
  }

  #takeBack(): void {
    for (const oldest of this.#shown) {
      if (this.#shown.size <= MOST_HELD) return;
      this.#shown.delete(oldest);
      oldest.close();
    }
  }

  #turn(trouble: string | null): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.#plan.onTrouble(trouble);
  }
}

function troubleWords(reason: string): string {
  const said = reason.slice(0, 200).replace(/[.\s]+$/u, '');
  const sentence = `The system did not show the last notice${said === '' ? '' : `: ${said}`}.`;
  const hint = HINTS[process.platform];
  return hint === undefined ? sentence : `${sentence} ${hint}`;
}
