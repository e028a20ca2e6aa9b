import { EventEmitter, once } from 'node:events';
import type {
  CallSeen,
  DialogAsked,
  DialogChoice,
  NotificationSeen,
  Stage,
  TraySeen,
  UtilitySeen,
  WindowSeen,
} from './transport/messages.ts';

/** A dialog that waits for its answer. Nothing chosen is the first button, or no path. */
export interface OpenDialog extends DialogAsked {
  answer(choice: Partial<DialogChoice>): void;
}

/** Holds all that a person and the system have seen of an app so far. */
export class Seen {
  readonly windows = new Map<number, WindowSeen>();
  /** All calls of the system, in their order. */
  readonly calls: CallSeen[] = [];
  /** Those that no test has looked at yet. */
  readonly newCalls: CallSeen[] = [];
  readonly dialogs: OpenDialog[] = [];
  readonly notifications: NotificationSeen[] = [];
  readonly utilities: UtilitySeen[] = [];
  /** The pids of those that have ended. */
  readonly ended = new Set<number>();
  readonly #news = new EventEmitter().setMaxListeners(0);
  tray: TraySeen | null = null;
  printed = '';
  /** Why nothing more is to come. */
  over: Error | null = null;

  /** The mock tells of it by these calls. */
  readonly stage = {
    traySeen: (tray) => this.#note(() => (this.tray = tray)),
    windowSeen: (window) => this.#note(() => this.windows.set(window.window, window)),
    windowGone: ({ window }) => this.#note(() => this.windows.delete(window)),
    utilityGone: ({ pid }) => this.#note(() => this.ended.add(pid)),
    utilitySeen: (utility) => this.#note(() => this.utilities.push(utility)),
    notificationSeen: (notification) => this.#note(() => this.notifications.push(notification)),
    callSeen: (call) => this.#note(() => this.calls.push(call) + this.newCalls.push(call)),
    dialog: async (asked) => {
      const chosen = Promise.withResolvers<DialogChoice>();
      const answer = (choice: Partial<DialogChoice>): void =>
        chosen.resolve({ button: 0, checked: false, paths: [], ...choice });
      this.#note(() => this.dialogs.push({ ...asked, answer }));
      return await chosen.promise;
    },
  } satisfies Partial<Stage>;

  print(text: string): void {
    this.#note(() => (this.printed += text));
  }

  end(reason: Error): void {
    this.#note(() => (this.over = reason));
  }

  /** Resolves with what the look-up finds, as soon as it finds something; rejects when nothing more is to come. */
  async until<T>(look: (seen: this) => T | null | undefined | false): Promise<T> {
    for (;;) {
      const found = look(this);
      if (found !== null && found !== undefined && found !== false) return found;
      if (this.over !== null) throw this.over;
      await once(this.#news, 'news');
    }
  }

  #note(change: () => unknown): void {
    change();
    this.#news.emit('news');
  }
}
