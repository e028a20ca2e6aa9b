import type { Socket } from 'node:net';

/** One end of a connection, read at the pace of its caller. Text is latin1: one character per byte. */
export class RawConnection {
  readonly socket: Socket;
  /** Resolves when the connection is gone, whoever ended it. */
  readonly closed: Promise<void>;
  #unread = '';
  #open = true;
  #wake = Promise.withResolvers<void>();

  constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.#unread += chunk.toString('latin1');
      this.#tell();
    });
    socket.on('end', () => this.#stop());
    socket.on('close', () => this.#stop());
  }

  /** Received bytes that were not read yet. */
  get unread(): string {
    return this.#unread;
  }

  send(text: string | Buffer): void {
    this.socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text);
  }

  /** Reads up to and including this text. Rejects when the other side ends before it. */
  async until(text: string): Promise<string> {
    for (;;) {
      const at = this.#unread.indexOf(text);
      if (at >= 0) return this.#take(at + text.length);
      await this.#more(`"${text}"`);
    }
  }

  /** Reads this many bytes. Rejects when the other side ends before them. */
  async take(size: number): Promise<string> {
    while (this.#unread.length < size) await this.#more(`${size} bytes`);
    return this.#take(size);
  }

  /** Reads until the other side ends, in whatever way. */
  async rest(): Promise<string> {
    while (this.#open) await this.#wake.promise;
    return this.#take(this.#unread.length);
  }

  /** Reads a response head, interim (1xx) ones included. */
  async head(): Promise<string> {
    return await this.until('\r\n\r\n');
  }

  #take(size: number): string {
    const taken = this.#unread.slice(0, size);
    this.#unread = this.#unread.slice(size);
    return taken;
  }

  async #more(wanted: string): Promise<void> {
    if (!this.#open) throw new Error(`The connection ended before ${wanted}: ${this.#unread}`);
    await this.#wake.promise;
  }

  #stop(): void {
    this.#open = false;
    this.#tell();
  }

  #tell(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}
