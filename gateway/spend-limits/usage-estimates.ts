import { RunId } from '../../shared/exchange/exchange.ts';
import type { Store } from '../store/store.ts';
import { ResponseSizes } from './response-sizes.ts';

/** The tokens that a request is expected to use. */
export interface TokenEstimate {
  readonly input: number;
  readonly output: number;
}

/** Weight of one exchange in the averages of its client and model. */
const WEIGHT = 0.2;
/** Bytes of a request for a token, and tokens of a response, of a model that was not used yet. */
const FIRST_BYTES = 4;
const FIRST_OUTPUT = 500;
/** The most that a response of a model takes that was not used yet. */
const FIRST_MOST = 2_000;
/** A text has fewer bytes for a token; more are images. */
const MAX_BYTES_PER_TOKEN = 16;
/** Characters of a model that are compared. */
const MAX_MODEL = 256;
const MAX_TOKENS = 1e9;
/** Bytes of a response for a token: each event of a stream repeats its frame. */
const FIRST_STREAM_BYTES = 180;
const FIRST_RESPONSE_BYTES = 5;
/** Tokens of an image, whose bytes say little about them. */
const IMAGE_TOKENS = 1_500;
/** Clients and models that are remembered. */
const MAX_KNOWN = 1_000;

/** A request this many times as long as those that were learned from has more bytes of its text in it than they had. */
const MUCH_LONGER = 8;

interface Averages {
  /** Of a request. */
  bytes: number;
  bytesPerInput: number;
  output: number;
  bytesPerOutput: number;
}

/** The size of a request without its images. */
export interface RequestSize {
  readonly bytes: number;
  readonly images: number;
}

/** An exchange whose usage was reported, from which estimates are learned. */
export interface ReportedExchange {
  readonly clientId: string | null;
  readonly model: string;
  /** `null` when its client names no session. */
  readonly run: RunId | null;
  readonly streamed: boolean;
  readonly size: RequestSize;
  readonly bytesOut: number;
  readonly input: number;
  readonly output: number;
}

/**
 * Estimates the tokens of a request before it is sent, and those of a response that was cut. They are calibrated by what services
 * report for the same client and model, because the bytes of a token differ between models and programs.
 */
export class UsageEstimates {
  readonly #known = new Map<string, Averages>();
  readonly #ofModels = new ResponseSizes();
  readonly #ofRuns = new ResponseSizes();

  /** Estimates a request. `maxOutput` is the limit that the request sets for its response; `null` for none. */
  estimate(
    of: Pick<ReportedExchange, 'clientId' | 'model' | 'size' | 'streamed'>,
    maxOutput: number | null,
  ): TokenEstimate {
    const { bytes, bytesPerInput, output } = this.#find(of) ?? firstAverages(of.streamed);
    const isMuchLonger = of.size.bytes > MUCH_LONGER * bytes;
    const perToken = isMuchLonger ? Math.min(bytesPerInput, FIRST_BYTES) : bytesPerInput;
    return {
      input: toTokens(of.size.bytes / perToken + of.size.images * IMAGE_TOKENS),
      output: toTokens(Math.min(output, maxOutput ?? Number.POSITIVE_INFINITY)),
    };
  }

  /**
   * Estimates the most that the response to a request takes, in tokens, so that few exceed it: the limit that the request sets, or what
   * the responses of its run took, whichever is less. Of a new run it is what those of its client and model took, and 2,000 before the
   * first. A limit alone would be far too much, because programs set it high.
   */
  reserveOutput(
    of: Pick<ReportedExchange, 'clientId' | 'model' | 'run'>,
    maxOutput: number | null,
  ): number {
    const ofRun = of.run === null ? null : this.#ofRuns.expectMost(of.run);
    const most = ofRun ?? this.#ofModels.expectMost(toModelKey(of)) ?? FIRST_MOST;
    return toTokens(Math.min(most, maxOutput ?? Number.POSITIVE_INFINITY));
  }

  /** Estimates the tokens in the received bytes of a response. */
  estimateOutput(
    of: Pick<ReportedExchange, 'clientId' | 'model' | 'streamed' | 'bytesOut'>,
  ): number {
    const { bytesPerOutput } = this.#find(of) ?? firstAverages(of.streamed);
    return toTokens(of.bytesOut / bytesPerOutput);
  }

  /** Learns from an exchange whose usage was reported. */
  learn(from: ReportedExchange): void {
    // A body may be empty where all of it was taken out.
    if (from.bytesOut === 0) return;
    this.#ofModels.add(toModelKey(from), from.output);
    if (from.run !== null) this.#ofRuns.add(from.run, from.output);
    const key = toKey(from);
    const known = this.#known.get(key);
    const text = from.input - from.size.images * IMAGE_TOKENS;
    const bytesPerInput = text > 0 && from.size.bytes > 0 ? from.size.bytes / text : FIRST_BYTES;
    // Images of earlier runs are not known, of a short request most bytes are none of its text, and the service may add texts of its own.
    const isOfText = from.size.bytes <= MAX_BYTES_PER_TOKEN * from.input && from.size.bytes >= text;
    const bytesPerOutput = from.output > 0 ? from.bytesOut / from.output : null;
    if (known === undefined) {
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      const first = firstAverages(from.streamed).bytesPerOutput;
      const averages = {
        bytes: from.size.bytes,
        bytesPerInput: isOfText ? bytesPerInput : FIRST_BYTES,
        output: from.output,
        bytesPerOutput: bytesPerOutput ?? first,
      };
      this.#known.set(key, averages);
      return;
    }
    known.bytes += WEIGHT * (from.size.bytes - known.bytes);
    if (isOfText) known.bytesPerInput += WEIGHT * (bytesPerInput - known.bytesPerInput);
    known.output += WEIGHT * (from.output - known.output);
    known.bytesPerOutput +=
      WEIGHT * ((bytesPerOutput ?? known.bytesPerOutput) - known.bytesPerOutput);
  }

  #find(of: Pick<ReportedExchange, 'clientId' | 'model' | 'streamed'>): Averages | undefined {
    return this.#known.get(toKey(of));
  }
}

function toKey({
  clientId,
  model,
  streamed,
}: Pick<ReportedExchange, 'clientId' | 'model' | 'streamed'>): string {
  return `${clientId ?? ''}\n${streamed ? 's' : ''}\n${model.slice(0, MAX_MODEL)}`;
}

function toModelKey({ clientId, model }: Pick<ReportedExchange, 'clientId' | 'model'>): string {
  return `${clientId ?? ''}\n${model.slice(0, MAX_MODEL)}`;
}

function firstAverages(streamed: boolean): Averages {
  return {
    bytes: 0,
    bytesPerInput: FIRST_BYTES,
    output: FIRST_OUTPUT,
    bytesPerOutput: streamed ? FIRST_STREAM_BYTES : FIRST_RESPONSE_BYTES,
  };
}

const RECENT = 1_000;

/** Learns from the latest exchanges of a store, oldest first, so that a restart begins with what was known. */
export async function learnFromHistory(estimates: UsageEstimates, { db }: Store): Promise<void> {
  const rows = await db
    .selectFrom('exchange')
    .select([
      'client_id',
      'model_sent',
      'run',
      'streamed',
      'bytes_in',
      'bytes_out',
      'usage_input',
      'usage_output',
    ])
    .where('usage_source', '=', 'reported')
    .orderBy('seq', 'desc')
    .limit(RECENT)
    .execute();
  for (const row of rows.toReversed()) {
    const { model_sent: model, usage_input: input, usage_output: output } = row;
    if (model === null || input === null || output === null) continue;
    const size = { bytes: row.bytes_in, images: 0 };
    const streamed = row.streamed === 1;
    estimates.learn({
      clientId: row.client_id,
      model,
      run: row.run === null ? null : RunId.parse(row.run),
      streamed,
      size,
      bytesOut: row.bytes_out,
      input,
      output,
    });
  }
}

/** Rounds up to whole tokens, within the bounds of what services report. */
function toTokens(count: number): number {
  return Number.isFinite(count) ? Math.min(MAX_TOKENS, Math.max(0, Math.ceil(count))) : 0;
}

/** Distance of the places that are looked at, and bytes that are looked at there. Text has other characters among so many. */
const STEP = 2_048;
const PROBE = 80;
const QUOTE = 0x22;

/**
 * Measures a request without its base64: runs of such characters in a string, over two kibibytes long. A run may continue from one
 * piece to the next. Looks at few of the bytes.
 */
export function measureRequest(chunks: readonly Buffer[]): RequestSize {
  let bytes = 0;
  let images = 0;
  let isInside = false;
  for (const chunk of chunks) {
    bytes += chunk.length;
    let at = 0;
    if (isInside) {
      at = findQuote(chunk, 0);
      bytes -= at;
      isInside = at === chunk.length;
    }
    for (let probe = at + STEP; probe + PROBE <= chunk.length; probe += STEP) {
      if (!isBase64(chunk, probe)) continue;
      const start = Math.max(at, chunk.lastIndexOf(QUOTE, probe) + 1);
      at = findQuote(chunk, probe);
      bytes -= at - start;
      images += 1;
      isInside = at === chunk.length;
      probe = at;
    }
  }
  return { bytes, images };
}

function findQuote(chunk: Buffer, from: number): number {
  const found = chunk.indexOf(QUOTE, from);
  return found === -1 ? chunk.length : found;
}

/** Whether these bytes are letters, digits, `+` and `/`. */
function isBase64(chunk: Buffer, from: number): boolean {
  for (let at = from; at < from + PROBE; at += 1) {
    const byte = chunk[at] ?? 0;
    const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
    if (!isLetter && !(byte >= 0x2f && byte <= 0x39) && byte !== 0x2b) return false;
  }
  return true;
}
