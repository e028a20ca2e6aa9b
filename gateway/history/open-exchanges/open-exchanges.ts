import { closeSync, fstatSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { Log } from '../../host.ts';
import { type OpenExchange, readOpen } from './read-interrupted.ts';

/** The exchanges that are being sent, on disk. */
export interface OpenExchanges {
  /**
   * Writes an exchange down before it is sent, so that it is known after a crash of this process. Returns the function that must be
   * called when it was recorded, with whether there is anything to pay. Takes a few microseconds, and never throws.
   */
  begin(exchange: OpenExchange): (isCharged: boolean) => void;
  /**
   * Keeps those of these exchanges for the next start that are to be paid, because their records were dropped. They may end only
   * afterwards. Never throws.
   */
  keepDropped(ids: readonly ExchangeId[]): void;
  /**
   * Overwrites those that were recorded until a time of `performance.now()`: they may have been deleted from the history. Their records
   * must be on disk, or dropped.
   */
  forgetRecorded(until: number): void;
  /** Removes the file, because everything was recorded; what is kept for the next start stays. */
  close(): void;
}

/** Bytes of a place in the file. */
const PLACE = 1024;
/** Places that are overwritten at once. */
const MAX_BLANK = 256;
/** The place of a recorded exchange is overwritten so long afterwards, once its record is written. */
const KEEP_MS = 3_000;
/** The most exchanges that could not be recorded and are kept for the next start. */
const MAX_KEPT = 5_000;
const MAX_TEXT = 200;
const MAX_MODEL = 256;
const MAX_RESOLUTION = 40;
const MAX_SESSION = 36;
const LINE_FEED = 0x0a;

export interface OpenExchangesOptions {
  readonly file: string;
  /** The exchanges of the file that could not be recorded, so that they stay for the next start; the others are removed. */
  readonly kept: ReadonlySet<ExchangeId>;
  /** Resolves when everything that was recorded before the call is on disk, or dropped. Never rejects. */
  readonly flush: () => Promise<void>;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
  readonly log: Log;
}

/** Opens the file for new exchanges. Where it cannot be opened, a crash leaves no trace of exchanges, and the log says so. */
export function openOpenExchanges(options: OpenExchangesOptions): OpenExchanges {
  const { file, kept, log } = options;
  try {
    if (kept.size === 0) return new OpenExchangesFile(openSync(file, 'w', 0o600), [], options);
    const left = readOpen(file, log).filter(({ id }) => kept.has(id));
    return new OpenExchangesFile(openSync(file, 'r+'), left, options);
  } catch (error) {
    log('warn', 'Requests in progress are not written to the data folder.', {
      reason: String(error),
    });
    return { begin: () => nothing, keepDropped: nothing, forgetRecorded: nothing, close: nothing };
  }
}

function nothing(): void {}

/** An exchange with a place in the file that is free once it is recorded. */
interface PlacedExchange {
  readonly place: number;
  /** Time of `performance.now()`; `null` before it ends. */
  recordedAt: number | null;
  /** Whether there is anything to pay; `false` before it ends. */
  isCharged: boolean;
  isDropped: boolean;
}

class OpenExchangesFile implements OpenExchanges {
  readonly #fd: number;
  readonly #options: OpenExchangesOptions;
  readonly #bytes = Buffer.alloc(PLACE);
  readonly #free: number[] = [];
  readonly #placed = new Map<ExchangeId, PlacedExchange>();
  #places = 0;
  #timer: NodeJS.Timeout | null = null;
  #isFailing = false;
  /** Number of exchanges that are kept for the next start. Nothing refers to their places any more. */
  #kept = 0;
  #isOverfull = false;
  /** The descriptor may belong to another file then. */
  #isClosed = false;

  /** `left`: what stays of the content of the file. */
  constructor(fd: number, left: readonly OpenExchange[], options: OpenExchangesOptions) {
    this.#fd = fd;
    this.#options = options;
    this.#rewrite(left);
  }

  begin(exchange: OpenExchange): (isCharged: boolean) => void {
    const place = this.#free.pop() ?? this.#places++;
    this.#write(place, toLine(exchange, this.#options.redact));
    const placed: PlacedExchange = {
      place,
      recordedAt: null,
      isCharged: false,
      isDropped: false,
    };
    this.#placed.set(exchange.id, placed);
    return (isCharged) => {
      placed.recordedAt = performance.now();
      placed.isCharged = isCharged;
      this.#keepIfLost(exchange.id, placed);
      this.#startTimer();
    };
  }

  keepDropped(ids: readonly ExchangeId[]): void {
    for (const id of ids) {
      const placed = this.#placed.get(id);
      if (placed === undefined) continue;
      placed.isDropped = true;
      this.#keepIfLost(id, placed);
    }
  }

  forgetRecorded(until: number): void {
    const places: number[] = [];
    for (const [id, { place, recordedAt }] of this.#placed) {
      if (recordedAt === null || recordedAt > until) continue;
      this.#placed.delete(id);
      places.push(place);
    }
    this.#blank(places);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    try {
      if (this.#kept === 0) ftruncateSync(this.#fd);
      else this.#blank([...this.#placed.values()].map(({ place }) => place));
    } finally {
      this.#placed.clear();
      this.#isClosed = true;
      closeSync(this.#fd);
    }
    if (this.#kept === 0) rmSync(this.#options.file, { force: true });
  }

  /** Keeps the place of an exchange that is known to be lost. A record may be dropped before or after its exchange ends here. */
  #keepIfLost(id: ExchangeId, { isCharged, isDropped }: PlacedExchange): void {
    if (isCharged && isDropped && this.#countKept()) this.#placed.delete(id);
  }

  /** Counts an exchange that is to be kept. Returns `false` when there are too many. */
  #countKept(): boolean {
    if (this.#kept < MAX_KEPT) {
      this.#kept += 1;
      return true;
    }
    if (!this.#isOverfull)
      this.#options.log(
        'warn',
        'After the next start limits lack requests that could not be recorded.',
        { kept: MAX_KEPT },
      );
    this.#isOverfull = true;
    return false;
  }

  /** A database that is busy may write a record later than usual. */
  async #onTimer(): Promise<void> {
    const until = performance.now() - KEEP_MS;
    await this.#options.flush();
    this.#timer = null;
    this.forgetRecorded(until);
    if ([...this.#placed.values()].some(({ recordedAt }) => recordedAt !== null))
      this.#startTimer();
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => void this.#onTimer(), KEEP_MS).unref();
  }

  /**
   * Writes what is left to the beginning of the file, in the order in which it is there. So none is overwritten before it is written
   * again, and none is missing when the process ends meanwhile.
   */
  #rewrite(left: readonly OpenExchange[]): void {
    const before = Math.ceil(fstatSync(this.#fd).size / PLACE);
    for (const exchange of left)
      if (this.#countKept()) this.#write(this.#places++, toLine(exchange, this.#options.redact));
    // What could not be written on a full disk is still further back.
    if (this.#isFailing) this.#places = Math.max(before, this.#places);
    else ftruncateSync(this.#fd, this.#places * PLACE);
  }

  /** Overwrites these places, which are free then. */
  #blank(freed: readonly number[]): void {
    const places = freed.toSorted((a, b) => a - b);
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
