import type { SelfReport } from '../proxy/proxy.ts';

const KEY_BYTES = 32;

/** The status and metrics at the proxy. They are empty before the engine has started. */
export class Report implements SelfReport {
  readonly key: string;
  #reporter: Pick<SelfReport, 'metrics' | 'status'> | null = null;

  constructor(randomBytes: (size: number) => Uint8Array) {
    this.key = Buffer.from(randomBytes(KEY_BYTES)).toString('base64url');
  }

  attach(reporter: Pick<SelfReport, 'metrics' | 'status'>): void {
    this.#reporter = reporter;
  }

  metrics(): string {
    return this.#reporter?.metrics() ?? '';
  }

  status(): string {
    return this.#reporter?.status() ?? '{}';
  }
}
