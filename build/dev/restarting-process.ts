import { once } from 'node:events';
import type { startProgram } from '../../host/process/child-process.ts';

type ChildProcess = ReturnType<typeof startProgram>;

/** A program takes two signals this close together for one. Milliseconds. */
const ECHO_MS = 250;
/** Code in a loop without end heeds no request, so it is ended by force this long after the first one: longer than an engine takes that is asked twice. Milliseconds. */
const FORCE_MS = 5_000;
/** The request to stop that ends the program by force. */
const BY_FORCE = 3;

export interface RestartingProcessOptions {
  /** Makes the program ready, for example by building it. When it rejects, the program stays ended until the next restart. */
  readonly prepare: () => Promise<void>;
  /** Starts the program. */
  readonly launch: () => ChildProcess;
  /** The program ended, and nobody had asked it to. */
  readonly onExit: (code: number | null) => void;
  /** Told of what `prepare` rejected with. */
  readonly onFailure: (error: unknown) => void;
}

/** A program that starts again when its code has changed. At most one of it runs at a time. */
export class RestartingProcess {
  readonly #options: RestartingProcessOptions;
  #child: ChildProcess | null = null;
  #work: Promise<void> | null = null;
  #isDue = false;
  #isEnding = false;
  #stops = 0;

  constructor(options: RestartingProcessOptions) {
    this.#options = options;
  }

  /** Starts the program, or ends the one that runs and starts it anew. Changes that come meanwhile lead to one more start. */
  restart(): void {
    this.#isDue = true;
    this.#work ??= this.#run().finally(() => (this.#work = null));
  }

  /** Asks the program to end in order; called again, to hurry; a third time, ends it by force. Resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stops += 1;
    this.#isDue = false;
    this.#child?.kill(this.#stops >= BY_FORCE ? 'SIGKILL' : 'SIGTERM');
    await this.#work;
    await ended(this.#child);
  }

  async #run(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      try {
        // Together, so that the new one is ready when the old one is gone.
        await Promise.all([this.#options.prepare(), this.#end()]);
      } catch (error) {
        this.#options.onFailure(error);
        continue;
      }
      if (this.#stops === 0 && !this.#isDue) this.#start();
    }
  }

  #start(): void {
    const child = this.#options.launch();
    this.#child = child;
    child.once('close', (code) => {
      this.#child = null;
      if (this.#stops === 0 && !this.#isEnding) this.#options.onExit(code);
    });
    child.once('error', this.#options.onFailure);
  }

  /** Ends the program without waiting for what it would wait for. */
  async #end(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#isEnding = true;
    child.kill('SIGTERM');
    const timers = [
      setTimeout(() => child.kill('SIGTERM'), ECHO_MS),
      setTimeout(() => child.kill('SIGKILL'), FORCE_MS),
    ];
    await ended(child);
    for (const timer of timers) clearTimeout(timer);
    this.#isEnding = false;
  }
}

async function ended(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  await once(child, 'close');
}
