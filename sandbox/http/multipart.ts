import { invalid, RefusalError } from './errors.ts';
import { FileReceiver } from '../files.ts';
import type { UploadedFile } from '../files.ts';

const FILE_BYTES = 256 * 2 ** 20;
const HEAD_BYTES = 16_384;
const FIELD_BYTES = 65_536;

type ParserState = 'preamble' | 'delimiter' | 'head' | 'file' | 'field' | 'epilogue';

/**
 * Parses a multipart form (RFC 7578) chunk by chunk: one required part `file`, and small text fields, which are ignored.
 * Buffers only the head of a part and a tail in which a delimiter may begin.
 * @throws RefusalError 400 for malformed forms, 413 for files of more than 256 MiB.
 */
export class MultipartParser {
  readonly #delimiter: Buffer;
  #state: ParserState = 'preamble';
  // The first delimiter has no line end before it, so one is inserted.
  #buffered: Buffer = Buffer.from('\r\n');
  #file: FileReceiver | undefined;
  #fieldSize = 0;
  #name = '';
  #type = '';

  constructor(contentType: string) {
    const boundary =
      /^multipart\/form-data *;.*\bboundary=(?:"([^"]{1,70})"|([^\s";,]{1,70}))/i.exec(contentType);
    const value = boundary?.[1] ?? boundary?.[2];
    if (value === undefined) {
      throw invalid('An upload needs "Content-Type: multipart/form-data" with a boundary.');
    }
    this.#delimiter = Buffer.from(`\r\n--${value}`);
  }

  add(chunk: Buffer): void {
    this.#buffered = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    while (this.#step());
  }

  /** Returns the file after the closing delimiter. */
  finish(): UploadedFile {
    if (this.#state !== 'epilogue') throw invalid('The form ends before its closing delimiter.');
    if (!this.#file) throw invalid('The form has no part named "file".');
    return this.#file.finish(this.#name, this.#type);
  }

  /** Advances by one state; returns false when more bytes are needed. */
  #step(): boolean {
    switch (this.#state) {
      case 'delimiter':
        return this.#readDelimiterEnd();
      case 'head':
        return this.#readHead();
      case 'epilogue':
        this.#buffered = Buffer.alloc(0);
        return false;
      case 'preamble':
      case 'file':
      case 'field':
        return this.#readContent();
    }
  }

  #readContent(): boolean {
    const at = this.#buffered.indexOf(this.#delimiter);
    const end = at < 0 ? Math.max(this.#buffered.length - this.#delimiter.length + 1, 0) : at;
    this.#takeContent(this.#buffered.subarray(0, end));
    this.#buffered = this.#buffered.subarray(at < 0 ? end : at + this.#delimiter.length);
    if (at < 0) return false;
    this.#state = 'delimiter';
    return true;
  }

  #takeContent(bytes: Buffer): void {
    if (this.#state === 'file' && this.#file) {
      this.#file.add(bytes);
      if (this.#file.size <= FILE_BYTES) return;
      const message = 'The file is larger than 256 MiB.';
      throw new RefusalError({ status: 413, code: 'request_too_large', message });
    }
    this.#fieldSize += bytes.length;
    if (this.#fieldSize > FIELD_BYTES)
      throw invalid('The form has too much data besides its file.');
  }

  #readDelimiterEnd(): boolean {
    if (this.#buffered.length < 2) return false;
    const mark = this.#buffered.toString('latin1', 0, 2);
    if (mark !== '--' && mark !== '\r\n') throw invalid('The form has a malformed delimiter.');
    // The line end before a head stays buffered, so that an empty head ends like any other.
    if (mark === '--') this.#buffered = this.#buffered.subarray(2);
    this.#state = mark === '--' ? 'epilogue' : 'head';
    return true;
  }

  #readHead(): boolean {
    const end = this.#buffered.indexOf('\r\n\r\n');
    if (end < 0 && this.#buffered.length > HEAD_BYTES)
      throw invalid('The head of a part is too long.');
    if (end < 0) return false;
    this.#enterPart(this.#buffered.toString('utf8', 0, end));
    this.#buffered = this.#buffered.subarray(end + 4);
    return true;
  }

  #enterPart(head: string): void {
    const disposition = /\r\ncontent-disposition: *form-data *;([^\r]*)/i.exec(head)?.[1];
    if (disposition === undefined) throw invalid('A part of the form has no Content-Disposition.');
    const name = /(?:^|[;\s])name="([^"]*)"/i.exec(disposition)?.[1];
    this.#state = name === 'file' ? 'file' : 'field';
    if (this.#state === 'field') return;
    if (this.#file) throw invalid('The form has more than one part named "file".');
    const filename = /(?:^|[;\s])filename="([^"]*)"/i.exec(disposition)?.[1];
    if (filename === undefined) throw invalid('The part "file" has no file name.');
    this.#file = new FileReceiver();
    this.#name = filename === '' ? 'file' : filename;
    this.#type = /\r\ncontent-type: *([^\r]*)/i.exec(head)?.[1] ?? 'application/octet-stream';
  }
}
