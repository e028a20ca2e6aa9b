const INPUT = 'input[aria-label="Go to"]';

/** Collects the text that is typed from the opening of the palette until its input has the focus. */
export class TypedText {
  readonly #onCancel: () => void;
  #text = '';

  /** `onCancel` is called when Escape is pressed meanwhile. */
  constructor(onCancel: () => void) {
    this.#onCancel = onCancel;
  }

  /** Begins collecting, and keeps all keys from everything else. */
  collect(): void {
    window.addEventListener('keydown', this.#onKey, { capture: true });
  }

  /** Ends collecting and returns the text. */
  take(): string {
    window.removeEventListener('keydown', this.#onKey, { capture: true });
    const text = this.#text;
    this.#text = '';
    return text;
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey) return;
    if (event.target instanceof Element && event.target.matches(INPUT)) {
      // The input of a palette that was just closing has the focus already.
      this.take();
      return;
    }
    if (event.key === 'Escape') {
      this.take();
      this.#onCancel();
    } else if (event.key === 'Backspace') this.#text = this.#text.slice(0, -1);
    else if (event.key.length === 1) this.#text += event.key;
    event.preventDefault();
    event.stopPropagation();
  };
}
