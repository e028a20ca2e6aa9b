import { PipeEnd } from './pipe.ts';

/** The process at the other side of a relay is told these. */
export interface RelayCalls {
  portMessage(message: PortLetter): void | Promise<void>;
  portClosed(port: string): void | Promise<void>;
}

export interface PortLetter {
  readonly port: string;
  readonly data: unknown;
}

/** Carries pipes on into another process. */
export class Relay implements RelayCalls {
  readonly #there: RelayCalls;
  readonly #ends = new Map<string, PipeEnd>();
  readonly #mark: string;
  #sent = 0;

  /** The mark keeps the names that both sides give apart. */
  constructor(mark: string, there: RelayCalls) {
    this.#mark = mark;
    this.#there = there;
  }

  /** Lets an end of a pipe go on in the other process, under the name that is returned. */
  depart(end: PipeEnd): string {
    const port = `${this.#mark}${(this.#sent += 1)}`;
    this.#ends.set(port, end);
    this.#read(port, end);
    return port;
  }

  /** The end here of a pipe that begins in the other process. */
  arrive(port: string): PipeEnd {
    const [here, end] = PipeEnd.pair();
    this.#ends.set(port, end);
    this.#read(port, end);
    return here;
  }

  portMessage({ port, data }: PortLetter): void {
    this.#ends.get(port)?.send({ data, ends: [] });
  }

  portClosed(port: string): void {
    const end = this.#ends.get(port);
    this.#ends.delete(port);
    end?.close();
  }

  /** The other process ended, or the page there: so did its pipes. */
  closeAll(): void {
    for (const port of this.#ends.keys()) this.portClosed(port);
  }

  #read(port: string, end: PipeEnd): void {
    end.read({
      take: ({ data, ends }) => {
        if (ends.length > 0) throw new Error('Ports in a message of a port are not mocked.');
        void this.#there.portMessage({ port, data });
      },
      closed: () => {
        if (this.#ends.delete(port)) void this.#there.portClosed(port);
      },
    });
  }
}
