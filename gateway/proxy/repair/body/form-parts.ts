/** The `Content-Disposition` of a part before and after its repair. */
export interface ChangedPart {
  readonly before: string;
  readonly after: string;
}

export interface FormPartsOptions {
  readonly boundary: string;
  /** Whether the first file with a usual wrong name is renamed to `file`, which the service expects (spec section 4.5). */
  readonly rename: boolean;
  readonly onChange: (change: ChangedPart) => void;
}

/**
 * Names that programs give to the file of an upload, with or without an index in brackets. Except for an empty name, which is treated
 * separately, none is shorter than `file`, so the new name fits into the head.
 */
const WRONG_NAME =
  /^(?:images?|files?|filename|uploads?|media|data|photos?|pictures?|attachments?|input_reference|image_file|upload_file)(?:\[\d*\])?$/iu;

const DISPOSITION = /^content-disposition:[ \t]*([\w-]+)[ \t]*;([^\r\n]*)/imu;
const NAME = /(;|^)([ \t]*)name="([^"]*)"/iu;
const HAS_FILE_NAME = /;[ \t]*filename\*?=/iu;

/** Maximum number of parts whose heads are repaired, so that the cost grows only linearly with the form. An upload has far fewer. */
const MAX_PARTS = 500;
/** Maximum length of a head in bytes. A longer head is left unchanged. */
const MAX_HEAD_BYTES = 8 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const EMPTY = Buffer.alloc(0);
const LINE_END = 0x0a;
const HYPHEN = 0x2d;

/**
 * Repairs the heads of a form's parts while the form is streamed. A disposition other than `form-data`, as curl sends it when the
 * content type was set by hand, is replaced by that (RFC 7578 section 4.2), and a file with a wrong name can be renamed. A head keeps
 * its length, because spaces before a value mean nothing (RFC 5322 section 3.2.2), so the declared content length stays right. The
 * contents of the parts stay byte for byte, and so does everything after the first 500 parts.
 */
export class FormParts {
  readonly #options: FormPartsOptions;
  readonly #delimiter: Buffer;
  /** Bytes that may begin a delimiter, or a head that is still incomplete. */
  #buffered = EMPTY;
  #inHead = false;
  /** The byte before the buffered ones; a form begins like a line. */
  #previousByte = LINE_END;
  #isOver = false;
  #parts = 0;
  #hasFile = false;

  constructor(options: FormPartsOptions) {
    this.#options = options;
    this.#delimiter = Buffer.from(`--${options.boundary}`, 'latin1');
  }

  /** Takes the next chunk; returns the bytes that can be passed on. */
  push(chunk: Buffer): Buffer {
    if (this.#isOver) return chunk;
    let pending = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    const done: Buffer[] = [];
    for (;;) {
      const taken = this.#inHead ? this.#takeHead(pending) : this.#takeContent(pending);
      if (taken === null) break;
      this.#previousByte = taken.at(-1) ?? this.#previousByte;
      done.push(taken);
      pending = pending.subarray(taken.length);
    }
    const passed = pending.subarray(0, pending.length - this.#bufferedLength(pending));
    this.#previousByte = passed.at(-1) ?? this.#previousByte;
    done.push(passed);
    this.#buffered = Buffer.from(pending.subarray(passed.length));
    return Buffer.concat(done);
  }

  /** Returns the bytes that are still buffered when the form ends. */
  end(): Buffer {
    return this.#buffered;
  }

  /** Returns everything up to the end of the next delimiter; `null` when there is none. */
  #takeContent(pending: Buffer): Buffer | null {
    if (this.#isOver) return null;
    for (let at = pending.indexOf(this.#delimiter); at !== -1;) {
      if ((at === 0 ? this.#previousByte : pending[at - 1]) === LINE_END) {
        this.#parts += 1;
        this.#inHead = this.#parts <= MAX_PARTS;
        this.#isOver = !this.#inHead;
        return pending.subarray(0, at + this.#delimiter.length);
      }
      at = pending.indexOf(this.#delimiter, at + 1);
    }
    return null;
  }

  /** Returns the repaired head of a part; `null` while it is incomplete. */
  #takeHead(pending: Buffer): Buffer | null {
    if (pending[0] === HYPHEN && pending[1] === HYPHEN) {
      this.#isOver = true;
      return null;
    }
    const end = pending.subarray(0, MAX_HEAD_BYTES).indexOf(HEAD_END);
    if (end === -1 && pending.length < MAX_HEAD_BYTES) return null;
    this.#inHead = false;
    return end === -1 ? EMPTY : this.#repairHead(pending.subarray(0, end + HEAD_END.length));
  }

  /** Returns how many bytes at the end must wait for the next chunk: a head, or a possible beginning of a delimiter. */
  #bufferedLength(pending: Buffer): number {
    if (this.#isOver) return 0;
    return this.#inHead ? pending.length : Math.min(pending.length, this.#delimiter.length - 1);
  }

  #repairHead(head: Buffer): Buffer {
    const text = head.toString('latin1');
    const match = DISPOSITION.exec(text);
    if (match === null) return head;
    const [line, kind = '', parameters = ''] = match;
    const renamed = this.#renameFile(parameters);
    if (renamed === parameters && kind.toLowerCase() === 'form-data') return head;
    const value = `form-data;${renamed}`;
    const spare = line.length - 'content-disposition:'.length - value.length;
    if (spare < 0) return head;
    this.#options.onChange({ before: `${kind};${parameters}`, after: value });
    const repaired = `${line.slice(0, 'content-disposition:'.length)}${' '.repeat(spare)}${value}`;
    return Buffer.from(
      text.replace(line, () => repaired),
      'latin1',
    );
  }

  #renameFile(parameters: string): string {
    const name = NAME.exec(parameters)?.[3];
    if (name === undefined || !HAS_FILE_NAME.test(`;${parameters}`) || this.#hasFile) {
      return parameters;
    }
    const isWrong =
      this.#options.rename && (name === '' || WRONG_NAME.test(name)) && name !== 'file';
    this.#hasFile = isWrong || name === 'file';
    if (!isWrong) return parameters;
    // Without quotes (RFC 2045 section 5.1) the name fits into a head that had an empty one.
    return parameters.replace(NAME, name === '' ? '$1name=file' : '$1$2name="file"');
  }
}
