import { openGateway } from '../gateway/gateway.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { openLender } from './lender.ts';
import { takeLock } from '../hosting/lock.ts';
import type { Holder, Lock } from '../hosting/lock.ts';
import type { Rooms } from './rooms.ts';
import { chooseService } from './service.ts';
import type { Shell } from './shell.ts';

export interface AttendanceOptions {
  readonly shell: Shell;
  readonly rooms: Rooms;
  /** Of Gatehouse. */
  readonly version: string;
}

/** Sees to it that somebody runs the jobs of the data folder while a command waits for them: a Gatehouse that runs already, or this process. */
export class Attendance {
  readonly #options: AttendanceOptions;
  #holder: Holder | null = null;
  #lock: Lock | null = null;
  #gateway: Gateway | null = null;

  constructor(options: AttendanceOptions) {
    this.#options = options;
  }

  /** Who else runs them, as of the latest look; `null`: this process. */
  get holder(): Holder | null {
    return this.#holder;
  }

  /** Looks again. When nobody runs them any more, this process does from now on. @throws what keeps a Gatehouse from starting */
  async keep(): Promise<void> {
    if (this.#gateway !== null) return;
    const { rooms } = this.#options;
    const lock = await takeLock(rooms.host.dataDir, 'video');
    if (!('release' in lock)) {
      this.#holder = lock;
      return;
    }
    this.#holder = null;
    this.#lock = lock;
    await this.#open(lock);
  }

  /** Gives an order that is on its way up to `drainMs` to be answered. Whoever runs the jobs next goes on with them. */
  async close(drainMs: number): Promise<void> {
    await this.#gateway?.close(drainMs);
    this.release();
  }

  /** For an end on the spot. */
  release(): void {
    this.#lock?.release();
  }

  async #open(lock: Lock): Promise<void> {
    const { shell, rooms, version } = this.#options;
    const service = await chooseService(shell, rooms.upstreams, {});
    lock.announce({ service: service?.baseUrl ?? 'sandbox' });
    const { host } = rooms;
    this.#gateway = await openGateway({
      rooms,
      lender: openLender(shell, {
        host,
        service: service?.baseUrl ?? null,
        ports: { port: 0, windowPort: null },
        onPort: () => undefined,
      }),
      version,
      upstream: service === null ? 'sandbox' : { baseUrl: service.baseUrl },
      port: 0,
      pinned: { port: 'A command that waits for its videos uses any free port.' },
      allowedOrigins: [],
    });
    const { port, reportKey } = this.#gateway;
    lock.announce({ port, reportKey });
  }
}
