/** Number of characters held as strings; beyond it they become a Blob, which the browser may put on disk. */
const MAX_BUFFERED_CHARACTERS = 4_000_000;

/** Builds a text file from chunks as they arrive. */
export class TextFileBuilder {
  readonly #type: string;
  readonly #blobs: Blob[] = [];
  #buffered: string[] = [];
  #bufferedLength = 0;

  constructor(type: string) {
    this.#type = type;
  }

  add(text: string): void {
    this.#buffered.push(text);
    this.#bufferedLength += text.length;
    if (this.#bufferedLength >= MAX_BUFFERED_CHARACTERS) this.#flush();
  }

  blob(): Blob {
    this.#flush();
    return new Blob(this.#blobs, { type: this.#type });
  }

  #flush(): void {
    this.#blobs.push(new Blob(this.#buffered));
    this.#buffered = [];
    this.#bufferedLength = 0;
  }
}

/** Has the browser save a file. */
export function downloadBlob(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has started the download by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
