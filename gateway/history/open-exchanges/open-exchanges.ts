import { closeSync, fstatSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import type { Log } from '../../host.ts';
import type { OpenExchange } from './read-interrupted.ts';

/** The exchanges that are being sent, on disk. */
export interface OpenExchanges {
  /**
   * Writes an exchange down before it is sent, so that it is known after a crash of this process. Returns the function that must be
   * called when it was recorded, with whether there is anything to pay. Takes a few microseconds, and never throws.
   */
  begin(exchange: OpenExchange): (isCharged: boolean) => void;
  /**
   * Overwrites those that were recorded until a time of `performance.now()`: they may have been deleted from the history. Their records
   * must be on disk, or lost.
   */
  forgetRecorded(until: number): void;
  /** Removes the file, because everything was recorded; what was kept of an earlier run stays, and what may have been lost. */
  close(): void;
}

/** Bytes of a place in the file. */
const PLACE = 1024;
/** Places that are overwritten at once. */
const MAX_BLANK = 256;
/** The place of a recorded exchange is overwritten so long afterwards, once its record is written. */
const KEEP_MS = 3_000;
/** The most places that are kept of exchanges that could not be recorded. */
const MAX_LOST = 5_000;
const MAX_TEXT = 200;
const MAX_MODEL = 256;
const MAX_RESOLUTION = 40;
const MAX_SESSION = 36;
const LINE_FEED = 0x0a;

export interface OpenExchangesOptions {
  readonly file: string;
  /** Whether the file has exchanges that could not be recorded, so that they stay for the next start. */
  readonly keeps: boolean;
  /** Resolves when everything that was recorded before the call is on disk, or lost. Never rejects. */
  readonly flush: () => Promise<void>;
  /** Returns the number of records that were lost so far, as on a full disk. */
  readonly dropped: () => number;
  /** Returns which of these ids the history has. */
  readonly findExisting: (ids: readonly string[]) => Promise<readonly string[]>;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
  readonly log: Log;
}

/** Opens the file for new exchanges. Where it cannot be opened, a crash leaves no trace of exchanges, and the log says so. */
export function openOpenExchanges(options: OpenExchangesOptions): OpenExchanges {
  const { file, keeps, log } = options;
  try {
    const fd = openSync(file, keeps ? 'r+' : 'w', 0o600);
    return new OpenExchangesFile(fd, keeps ? Math.ceil(fstatSync(fd).size / PLACE) : 0, options);
  } catch (error) {
    log('warn', 'Requests in progress are not written to the data folder.', {
      reason: String(error),
    });
    return { begin: () => nothing, forgetRecorded: nothing, close: nothing };
  }
}

function nothing(): void {}

/** The place of a recorded exchange; `id` is `null` where there is nothing to pay. */
interface RecordedPlace {
  readonly place: number;
  /** Time of `performance.now()`. */
  readonly at: number;
  readonly id: string | null;
}

class OpenExchangesFile implements OpenExchanges {
  readonly #fd: number;
  readonly #kept: number;
  readonly #options: OpenExchangesOptions;
  readonly #bytes = Buffer.alloc(PLACE);
  readonly #free: number[] = [];
  /** Places of recorded exchanges, in the order of their time. */
  #recorded: RecordedPlace[] = [];
  #places: number;
  #timer: NodeJS.Timeout | null = null;
  #isFailing = false;
  /** Number of places whose exchanges may have been lost. They are used no more, so that the next start records them. */
  #lost = 0;
  /** What `dropped` returned last. */
  #dropped: number;
  /** The descriptor may belong to another file then. */
  #isClosed = false;

  /** `kept`: places at the beginning of the file that stay as they are. */
  constructor(fd: number, kept: number, options: OpenExchangesOptions) {
    this.#fd = fd;
    this.#kept = kept;
    this.#places = kept;
    this.#options = options;
    this.#dropped = options.dropped();
  }

  begin(exchange: OpenExchange): (isCharged: boolean) => void {
    const place = this.#free.pop() ?? this.#places++;
    this.#write(place, toLine(exchange, this.#options.redact));
    return (isCharged) => {
      this.#recorded.push({ place, at: performance.now(), id: isCharged ? exchange.id : null });
      this.#startTimer();
    };
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const recorded = this.#takeRecorded(Number.POSITIVE_INFINITY);
    if (this.#noticeLoss()) this.#keep(recorded);
    else this.#forget(recorded);
    this.#isClosed = true;
    try {
      if (this.#lost === 0) ftruncateSync(this.#fd, this.#kept * PLACE);
    } finally {
      closeSync(this.#fd);
    }
    if (this.#kept === 0 && this.#lost === 0) rmSync(this.#options.file, { force: true });
  }

  /** A database that is busy may write a record later than usual. */
  async #onTimer(): Promise<void> {
    const until = performance.now() - KEEP_MS;
    await this.#options.flush();
    this.#timer = null;
    if (this.#noticeLoss()) await this.#keepUnwritten();
    else this.forgetRecorded(until);
    if (this.#recorded.length > 0) this.#startTimer();
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => void this.#onTimer(), KEEP_MS).unref();
  }

  /** Whether records were lost since the last time. */
  #noticeLoss(): boolean {
    const dropped = this.#options.dropped();
    const isLost = dropped > this.#dropped;
    this.#dropped = dropped;
    return isLost;
  }

  /** Keeps the places of exchanges that are not in the history, whenever they were recorded, and forgets the others. */
  async #keepUnwritten(): Promise<void> {
    const recorded = this.#takeRecorded(Number.POSITIVE_INFINITY);
    const ids = recorded.flatMap(({ id }) => (id === null ? [] : [id]));
    const written = new Set(await this.#options.findExisting(ids).catch(() => []));
    this.#keep(recorded.filter(({ id }) => !written.has(id ?? '')));
    this.#forget(recorded.filter(({ id }) => written.has(id ?? '')));
  }

  /** Keeps the places of exchanges that may be charged. */
  #keep(recorded: readonly RecordedPlace[]): void {
    const charged = recorded.filter(({ id }) => id !== null);
    const kept = Math.min(charged.length, MAX_LOST - this.#lost);
    this.#lost += kept;
    this.#forget([...recorded.filter(({ id }) => id === null), ...charged.slice(kept)]);
    if (kept === charged.length) return;
    this.#options.log(
      'warn',
      'After the next start limits lack requests that could not be recorded.',
      {
        requests: charged.length - kept,
      },
    );
  }

  /** Takes out the places of exchanges that were recorded until then. */
  #takeRecorded(until: number): readonly RecordedPlace[] {
    const index = this.#recorded.findIndex(({ at }) => at > until);
    const due = index === -1 ? this.#recorded : this.#recorded.slice(0, index);
    this.#recorded = index === -1 ? [] : this.#recorded.slice(index);
    return due;
  }

  forgetRecorded(until: number): void {
    this.#forget(this.#takeRecorded(until));
  }

  #forget(recorded: readonly RecordedPlace[]): void {
    const places = recorded.map(({ place }) => place).toSorted((a, b) => a - b);
    for (const place of places) this.#free.push(place);
    for (let at = 0, count = 0; at < places.length; at += count) {
      const first = places[at] ?? 0;
      count = 1;
      while (count < MAX_BLANK && places[at + count] === first + count) count += 1;
      this.#writeBytes(first, blankPlaces(count));
    }
  }

  #write(place: number, text: string): void {
    const bytes = this.#bytes;
    bytes.fill(' ');
    bytes.write(text);
    bytes[PLACE - 1] = LINE_FEED;
    this.#writeBytes(place, bytes);
  }

  #writeBytes(place: number, bytes: Buffer): void {
    if (this.#isClosed) return;
    try {
      for (let done = 0; done < bytes.length;)
        done += writeSync(this.#fd, bytes, done, bytes.length - done, place * PLACE + done);
    } catch (error) {
      if (this.#isFailing) return;
      this.#isFailing = true;
      this.#options.log('warn', 'Requests in progress could not be written to the data folder.', {
        reason: String(error),
      });
    }
  }
}

function blankPlaces(count: number): Buffer {
  const bytes = Buffer.alloc(count * PLACE, ' ');
  for (let end = PLACE; end <= bytes.length; end += PLACE) bytes[end - 1] = LINE_FEED;
  return bytes;
}

/** Shortens the texts from outside where a line does not fit its place. `redact` may make it longer. */
function toLine(exchange: OpenExchange, redact: (text: string) => string): string {
  const format = (written: OpenExchange) => redact(JSON.stringify(written));
  const line = format(exchange);
  // Three bytes are the most for a character of UTF-16.
  if (line.length < PLACE / 3 || Buffer.byteLength(line) < PLACE) return line;
  const model = exchange.model?.slice(0, MAX_MODEL) ?? null;
  const service = exchange.service.slice(0, MAX_TEXT);
  const video = exchange.video && {
    ...exchange.video,
    resolution: exchange.video.resolution.slice(0, MAX_RESOLUTION),
  };
  const sender = exchange.sender && {
    ...exchange.sender,
    toolTimes: null,
    prompt: null,
    turn: null,
  };
  // Its run is that of its session, so a part of the session stays.
  const conversation = exchange.conversation?.slice(0, MAX_SESSION) ?? null;
  const short = { ...exchange, video, path: '', clientName: null, conversation, sender: null };
  for (const cut of [
    { ...exchange, sender },
    { ...exchange, sender: null },
    { ...short, model, service },
    { ...short, model, service: '' },
    { ...short, model: null, service: '' },
  ]) {
    const text = format(cut);
    if (Buffer.byteLength(text) < PLACE) return text;
  }
  return format({ ...short, model: null, service: '', video: null });
}
