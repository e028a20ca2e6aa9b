import { once } from 'node:events';
import type { startProgram } from '../../host/process/child-process.ts';

type ChildProcess = ReturnType<typeof startProgram>;

/** A program treats two signals within this time as one. In milliseconds. */
const ECHO_MS = 250;
/**
 * Code in an endless loop ignores requests, so it is killed this long after the first one, which is longer than an engine needs after
 * two requests. In milliseconds.
 */
const FORCE_MS = 5_000;
/** The number of the request that kills the program. */
const BY_FORCE = 3;

export interface RestartingProcessOptions {
  /** Prepares the program, for example by building it. When it rejects, the program stays stopped until the next restart. */
  readonly prepare: () => Promise<void>;
  /** Starts the program. */
  readonly launch: () => ChildProcess;
  /** Is called when the program ended without being asked to. */
  readonly onExit: (code: number | null) => void;
  /** Is called with the error when `prepare` rejects. */
  readonly onFailure: (error: unknown) => void;
}

/** A program that is restarted when its code has changed. At most one instance runs at a time. */
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

  /** Starts or restarts the program. Changes that happen meanwhile lead to one more restart. */
  restart(): void {
    this.#isDue = true;
    this.#work ??= this.#run().finally(() => (this.#work = null));
  }

  /** Asks the program to end in order; a second call hurries, a third one kills it. Resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stops += 1;
    this.#isDue = false;
    this.#child?.kill(this.#stops >= BY_FORCE ? 'SIGKILL' : 'SIGTERM');
    await this.#work;
    await waitForEnd(this.#child);
  }

  async #run(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      try {
        // Both run at the same time, so that the new one is ready when the old one has ended.
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

  /** Ends the program without waiting for running work. */
  async #end(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#isEnding = true;
    child.kill('SIGTERM');
    const timers = [
      setTimeout(() => child.kill('SIGTERM'), ECHO_MS),
      setTimeout(() => child.kill('SIGKILL'), FORCE_MS),
    ];
    await waitForEnd(child);
    for (const timer of timers) clearTimeout(timer);
    this.#isEnding = false;
  }
}

async function waitForEnd(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  await once(child, 'close');
}
