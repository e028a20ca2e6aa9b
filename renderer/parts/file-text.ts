/** So much text is held as text; what is more is handed to the browser, which may put it on disk. */
const HELD_CHARACTERS = 4_000_000;

/** The text of a file while it comes in, piece by piece. */
export class FileText {
  readonly #type: string;
  readonly #blobs: Blob[] = [];
  #held: string[] = [];
  #heldLength = 0;

  constructor(type: string) {
    this.#type = type;
  }

  add(text: string): void {
    this.#held.push(text);
    this.#heldLength += text.length;
    if (this.#heldLength >= HELD_CHARACTERS) this.#handOver();
  }

  blob(): Blob {
    this.#handOver();
    return new Blob(this.#blobs, { type: this.#type });
  }

  #handOver(): void {
    this.#blobs.push(new Blob(this.#held));
    this.#held = [];
    this.#heldLength = 0;
  }
}

/** Has the browser save a file. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has taken hold of it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
