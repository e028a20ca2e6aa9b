import type { ControlChannel } from '../proxy/proxy.ts';

const KEY_BYTES = 32;

/** The calls of commands at the proxy. They are refused until a shell attaches their handler. */
export class EngineControlChannel implements ControlChannel {
  readonly key: string;
  #handler: ControlChannel['handler'] = null;

  constructor(randomBytes: (size: number) => Uint8Array) {
    this.key = Buffer.from(randomBytes(KEY_BYTES)).toString('base64url');
  }

  get handler(): ControlChannel['handler'] {
    return this.#handler;
  }

  attach(handler: NonNullable<ControlChannel['handler']>): void {
    this.#handler = handler;
  }
}
