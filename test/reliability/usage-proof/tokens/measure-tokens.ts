import { countTokens, decode, encode } from 'gpt-tokenizer/encoding/o200k_base';
import {
  measureRequest,
  UsageEstimates,
} from '../../../../gateway/spend-limits/usage-estimates.ts';
import { Random } from '../../../kit/random.ts';
import { readTexts, type TextKind } from './texts.ts';

/** Relative errors: the median and the 95th percentile. */
export interface TokenErrors {
  readonly median: number;
  readonly p95: number;
}

export interface TokenFinding {
  readonly kind: string;
  readonly of: number;
  /** Errors for a model that was not used yet. */
  readonly first: TokenErrors;
  /** Errors once the service has reported usage of earlier requests. */
  readonly learned: TokenErrors;
}

export interface TokenFindings {
  /** Input of requests. */
  readonly input: readonly TokenFinding[];
  /** Output of streams that were cut. */
  readonly output: readonly TokenFinding[];
}

const MODEL = 'measured';
/** Requests of a client before estimates count as learned. */
const LEARNING = 10;
/** Orders of the same texts: a kind with few texts has other errors in each. */
const ORDERS = 20;
/** Tokens of the longest answer: that of a file that an agent writes. */
const MAX_OUTPUT = 2_000;
/** Tokens that the chat format adds to each message and to a request. */
const PER_MESSAGE = 4;
const PER_REQUEST = 3;
const SYSTEM = 'You are a careful programmer. Read the text and say what is wrong with it.';

interface Sample {
  readonly size: { readonly bytes: number; readonly images: number };
  readonly bytesOut: number;
  readonly input: number;
  readonly output: number;
  /** The part of the answer that came before it was cut. */
  readonly cut: { readonly bytes: number; readonly tokens: number };
}

/** Measures the estimates against a real tokenizer, over the texts of this repository. */
export async function measureTokens(seed: number): Promise<TokenFindings> {
  const random = new Random(seed);
  const kinds = await readTexts();
  const all: TextKind = { name: 'all together', texts: kinds.flatMap(({ texts }) => texts) };
  const measured = [...kinds, all].map(({ name, texts }) => ({
    name,
    orders: makeOrders(
      texts.map((text) => toSample(text, random)),
      random,
    ),
  }));
  return {
    input: measured.map(({ name, orders }) => find(name, orders, inputErrors)),
    output: measured.map(({ name, orders }) => find(name, orders, outputErrors)),
  };
}

/** Returns the relative errors of each sample with these estimates. */
type ErrorsOf = (sample: Sample, estimates: UsageEstimates) => number;

function find(kind: string, orders: readonly Order[], errorOf: ErrorsOf): TokenFinding {
  const samples = orders[0] ?? [];
  const first = samples.map((sample) => errorOf(sample, new UsageEstimates()));
  const learned = orders.flatMap((order) => {
    const estimates = new UsageEstimates();
    const errors = order.map((sample) => {
      const error = errorOf(sample, estimates);
      estimates.learn({ ...sample, ...WHO });
      return error;
    });
    return errors.slice(LEARNING);
  });
  return { kind, of: samples.length, first: summarize(first), learned: summarize(learned) };
}

const WHO = { clientId: 'agent', model: MODEL, run: null, streamed: true };

function inputErrors({ size, input }: Sample, estimates: UsageEstimates): number {
  return relative(estimates.estimate({ ...WHO, size }, null).input, input);
}

function outputErrors({ cut }: Sample, estimates: UsageEstimates): number {
  return relative(estimates.estimateOutput({ ...WHO, bytesOut: cut.bytes }), cut.tokens);
}

function relative(estimated: number, real: number): number {
  return Math.abs(estimated - real) / Math.max(1, real);
}

function summarize(errors: readonly number[]): TokenErrors {
  const sorted = errors.toSorted((one, other) => one - other);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  return { median: at(0.5), p95: at(0.95) };
}

/** A text as the prompt of a request, and its beginning as the answer. */
function toSample(text: string, random: Random): Sample {
  const messages = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: text },
  ];
  const body = Buffer.from(JSON.stringify({ model: MODEL, stream: true, messages }));
  const contents = messages.map(({ content }) => countTokens(content) + PER_MESSAGE);
  const answer = encode(text).slice(0, MAX_OUTPUT);
  const events = answer.map((token) => Buffer.byteLength(toEvent(decode([token]))));
  const length = 1 + random.below(events.length);
  return {
    size: measureRequest([body]),
    input: sum(contents) + PER_REQUEST,
    output: answer.length,
    bytesOut: sum(events) + Buffer.byteLength(toEvent('')),
    cut: { bytes: sum(events.slice(0, length)), tokens: length },
  };
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}

/** An event of a Chat Completions stream as services send it, with one token. */
function toEvent(content: string): string {
  const id = 'chatcmpl-0123456789abcdef0123456789abcdef';
  const choices = [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }];
  const head = { id, object: 'chat.completion.chunk', created: 1_764_000_000, model: MODEL };
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`;
}

type Order = readonly Sample[];

function makeOrders(samples: readonly Sample[], random: Random): readonly Order[] {
  return Array.from({ length: ORDERS }, () => shuffle(samples, random));
}

function shuffle(samples: readonly Sample[], random: Random): Order {
  return samples
    .map((sample) => [random.next(), sample] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, sample]) => sample);
}
