import type { MessagePortMain as ElectronPort } from 'electron';
import { StrictMock } from '../strict-mock.ts';
import { type Parcel, PipeEnd } from './pipe.ts';

/** A listener of a port gets this. */
interface PortMessage {
  readonly data: unknown;
  readonly ports: readonly MessagePortMain[];
}

/** A port of the main process or of a utility process. Messages wait until it is started. */
export class MessagePortMain
  extends StrictMock
  implements Pick<ElectronPort, 'close' | 'postMessage' | 'start'>
{
  #end: PipeEnd | null;
  #started = false;

  constructor(end: PipeEnd) {
    super('MessagePortMain', ['message', 'close']);
    this.#end = end;
  }

  /** Removes the pipe from a port that is transferred; the port cannot be used any more. */
  static disentangle(port: unknown): PipeEnd {
    if (!(port instanceof MessagePortMain)) throw new TypeError('Invalid value for transfer');
    if (port.#end === null) throw new Error('A port that was sent elsewhere cannot be sent again');
    if (port.#started) throw new Error('Sending a port that was started is not mocked.');
    const end = port.#end;
    port.#end = null;
    return end;
  }

  postMessage(message: unknown, transfer: readonly unknown[] = []): void {
    if (transfer.includes(this)) throw new Error('Port at index 0 contains the source port.');
    const ends = transfer.map((port) => MessagePortMain.disentangle(port));
    this.#end?.send({ data: structuredClone(message), ends });
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#end?.read({
      take: (parcel) => this.emit('message', messageOf(parcel)),
      closed: () => this.emit('close'),
    });
  }

  close(): void {
    this.#end?.close();
  }
}

export class MessageChannelMain {
  readonly port1: MessagePortMain;
  readonly port2: MessagePortMain;

  constructor() {
    const [one, two] = PipeEnd.pair();
    this.port1 = new MessagePortMain(one);
    this.port2 = new MessagePortMain(two);
  }
}

/** Creates the event that a listener gets for a message. */
export function messageOf({ data, ends }: Parcel): PortMessage {
  return { data, ports: ends.map((end) => new MessagePortMain(end)) };
}
