import { EventPublisher, implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import type { MessagePortMain, WebContents } from 'electron';
import { desktopContract, type DesktopState } from '../shared/desktop/desktop-contract.ts';
import type { Shortcut } from '../shared/desktop/shortcut.ts';

/** Actions that a window may ask the app for. */
export interface DesktopActions {
  /** Starts the engine, for this run on another port if one is given. */
  readonly start: (port?: number) => void;
  readonly setStartAtLogin: (on: boolean) => void;
  /** Quits the app. A second call hurries. */
  readonly quit: () => void;
  readonly check: () => Promise<void>;
  readonly download: () => Promise<void>;
  readonly restart: (when: 'idle' | 'now') => void;
  /** Returns why the system refused it, a sentence. */
  readonly setQuickShortcut: (shortcut: Shortcut | null) => string | null;
  readonly showQuick: () => void;
  readonly hideQuick: () => void;
  /** Continues in the main window. */
  readonly leaveQuick: (address: string) => void;
  /** Resolves with why it could not be opened, a sentence. */
  readonly openLink: (url: string, page: WebContents) => Promise<string | null>;
}

/** Holds the state of the app, and serves it and the app's actions to its windows. */
export class DesktopServer {
  readonly #turns = new EventPublisher<{ state: DesktopState }>({ maxBufferedEvents: 1 });
  /** Serves the page at the other end of a port. */
  readonly serve: (port: MessagePortMain, page: WebContents) => void;
  #state: DesktopState;

  constructor(first: DesktopState, actions: DesktopActions) {
    this.#state = first;
    const calls = implement(desktopContract).$context<{ readonly page: WebContents }>();
    const handler = new RPCHandler(
      calls.router({
        state: calls.state.handler(({ signal }) => this.#follow(signal)),
        startEngine: calls.startEngine.handler(({ input }) => actions.start(input.port)),
        setStartAtLogin: calls.setStartAtLogin.handler(({ input }) =>
          actions.setStartAtLogin(input.on),
        ),
        quit: calls.quit.handler(() => actions.quit()),
        updates: {
          check: calls.updates.check.handler(() => actions.check()),
          download: calls.updates.download.handler(() => actions.download()),
          restart: calls.updates.restart.handler(({ input }) => actions.restart(input.when)),
        },
        setQuickShortcut: calls.setQuickShortcut.handler(({ input, errors }) => {
          const message = actions.setQuickShortcut(input.shortcut);
          if (message !== null) throw errors.REFUSED({ message });
        }),
        quick: {
          show: calls.quick.show.handler(() => actions.showQuick()),
          hide: calls.quick.hide.handler(() => actions.hideQuick()),
          leave: calls.quick.leave.handler(({ input }) => actions.leaveQuick(input.address)),
        },
        openLink: calls.openLink.handler(async ({ input, context, errors }) => {
          const message = await actions.openLink(input.url, context.page);
          if (message !== null) throw errors.REFUSED({ message });
        }),
      }),
    );
    this.serve = (port, page) => {
      handler.upgrade(port, { context: { page } });
      port.start();
    };
  }

  get state(): DesktopState {
    return this.#state;
  }

  /** Changes a part of the state and notifies every window. */
  update(part: Partial<DesktopState>): void {
    this.#state = { ...this.#state, ...part };
    this.#turns.publish('state', this.#state);
  }

  async *#follow(signal: AbortSignal | undefined): AsyncGenerator<DesktopState, void> {
    const turns = this.#turns.subscribe('state', { signal });
    yield this.#state;
    yield* turns;
  }
}
