/** What was changed in the head of a form's part. */
export interface ChangedPart {
  readonly before: string;
  readonly after: string;
}

export interface FormPartsOptions {
  readonly boundary: string;
  /** Whether the first file with a usual wrong name gets the name that the service wants, `file` (spec section 4.5). */
  readonly rename: boolean;
  readonly onChange: (change: ChangedPart) => void;
}

/** Names that programs give to the file of an upload, with or without an index in brackets. None is shorter than `file`, but for an empty one. */
const WRONG_NAME =
  /^(?:images?|files?|filename|uploads?|media|data|photos?|pictures?|attachments?|input_reference|image_file|upload_file)(?:\[\d*\])?$/iu;

const DISPOSITION = /^content-disposition:[ \t]*([\w-]+)[ \t]*;([^\r\n]*)/imu;
const NAME = /(;|^)([ \t]*)name="([^"]*)"/iu;
const HAS_FILE_NAME = /;[ \t]*filename\*?=/iu;

/** Far more than an upload has. What comes after so many parts is not looked at, so that looking costs as much as the form is long. */
const MAX_PARTS = 500;
/** A longer head of a part is left as it is. */
const MAX_HEAD = 8 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);
const LINE_END = 0x0a;
const HYPHEN = 0x2d;

/**
 * Mends the heads of a form's parts while the form passes, piece by piece. A disposition other than `form-data`, as curl writes it when
 * the content type was set by hand, becomes that (RFC 7578 section 4.2), and a file with a wrong name can be renamed. A head keeps its
 * length, because spaces before a value mean nothing (RFC 5322 section 3.2.2), so a length that was declared stays true. What is in the
 * parts stays byte for byte, and so does everything after the first 500 parts.
 */
export class FormParts {
  readonly #options: FormPartsOptions;
  readonly #delimiter: Buffer;
  /** What may be the beginning of a delimiter, or of a head that has not come whole. */
  #kept = NOTHING;
  #inHead = false;
  /** The byte before what is held; a form begins like a line. */
  #last = LINE_END;
  #isOver = false;
  #parts = 0;
  #hasFile = false;

  constructor(options: FormPartsOptions) {
    this.#options = options;
    this.#delimiter = Buffer.from(`--${options.boundary}`, 'latin1');
  }

  /** What of the form can be passed on, now that this piece has come. */
  push(piece: Buffer): Buffer {
    if (this.#isOver) return piece;
    let rest = this.#kept.length === 0 ? piece : Buffer.concat([this.#kept, piece]);
    const done: Buffer[] = [];
    for (;;) {
      const taken = this.#inHead ? this.#takeHead(rest) : this.#takeContent(rest);
      if (taken === null) break;
      this.#last = taken.at(-1) ?? this.#last;
      done.push(taken);
      rest = rest.subarray(taken.length);
    }
    const free = rest.subarray(0, rest.length - this.#heldOf(rest));
    this.#last = free.at(-1) ?? this.#last;
    done.push(free);
    this.#kept = Buffer.from(rest.subarray(free.length));
    return Buffer.concat(done);
  }

  /** What was still held back when the form ended. */
  end(): Buffer {
    return this.#kept;
  }

  /** Everything up to the end of the next delimiter; `null` when there is none in it. */
  #takeContent(rest: Buffer): Buffer | null {
    if (this.#isOver) return null;
    for (let at = rest.indexOf(this.#delimiter); at !== -1;) {
      if ((at === 0 ? this.#last : rest[at - 1]) === LINE_END) {
        this.#parts += 1;
        this.#inHead = this.#parts <= MAX_PARTS;
        this.#isOver = !this.#inHead;
        return rest.subarray(0, at + this.#delimiter.length);
      }
      at = rest.indexOf(this.#delimiter, at + 1);
    }
    return null;
  }

  /** The mended head of a part; `null` while it has not come whole. */
  #takeHead(rest: Buffer): Buffer | null {
    if (rest[0] === HYPHEN && rest[1] === HYPHEN) {
      this.#isOver = true;
      return null;
    }
    const end = rest.subarray(0, MAX_HEAD).indexOf(HEAD_END);
    if (end === -1 && rest.length < MAX_HEAD) return null;
    this.#inHead = false;
    return end === -1 ? NOTHING : this.#mend(rest.subarray(0, end + HEAD_END.length));
  }

  /** How much of the end must wait for the next piece: a head, or what may be the beginning of a delimiter. */
  #heldOf(rest: Buffer): number {
    if (this.#isOver) return 0;
    return this.#inHead ? rest.length : Math.min(rest.length, this.#delimiter.length - 1);
  }

  #mend(head: Buffer): Buffer {
    const text = head.toString('latin1');
    const found = DISPOSITION.exec(text);
    if (found === null) return head;
    const [line, kind = '', parameters = ''] = found;
    const named = this.#named(parameters);
    if (named === parameters && kind.toLowerCase() === 'form-data') return head;
    const value = `form-data;${named}`;
    const spare = line.length - 'content-disposition:'.length - value.length;
    if (spare < 0) return head;
    this.#options.onChange({ before: `${kind};${parameters}`, after: value });
    const mended = `${line.slice(0, 'content-disposition:'.length)}${' '.repeat(spare)}${value}`;
    return Buffer.from(
      text.replace(line, () => mended),
      'latin1',
    );
  }

  #named(parameters: string): string {
    const name = NAME.exec(parameters)?.[3];
    if (name === undefined || !HAS_FILE_NAME.test(`;${parameters}`) || this.#hasFile) {
      return parameters;
    }
    const isWrong =
      this.#options.rename && (name === '' || WRONG_NAME.test(name)) && name !== 'file';
    this.#hasFile = isWrong || name === 'file';
    if (!isWrong) return parameters;
    // Without its quotes (RFC 2045 section 5.1) the name fits into the length of a head that had an empty one.
    return parameters.replace(NAME, name === '' ? '$1name=file' : '$1$2name="file"');
  }
}
