import type { SelfReport } from '../proxy/proxy.ts';

const KEY_BYTES = 32;

/** The status and metrics at the proxy. They are empty before the engine has started. */
export class Report implements SelfReport {
  readonly key: string;
  #tells: Pick<SelfReport, 'metrics' | 'status'> | null = null;

  constructor(randomBytes: (size: number) => Uint8Array) {
    this.key = Buffer.from(randomBytes(KEY_BYTES)).toString('base64url');
  }

  attach(tells: Pick<SelfReport, 'metrics' | 'status'>): void {
    this.#tells = tells;
  }

  metrics(): string {
    return this.#tells?.metrics() ?? '';
  }

  status(): string {
    return this.#tells?.status() ?? '{}';
  }
}
