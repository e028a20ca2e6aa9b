import { hash } from 'node:crypto';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { AssembledResponse } from '../../../shared/parse-bodies/assemble-response.ts';
import { tryParse } from '../../../shared/parse-bodies/json.ts';
import { findStepEnding } from '../../../shared/run/describe-run.ts';
import type { RunStep } from '../../../shared/run/run.ts';
import { canonicalJson } from '../../../shared/parse-bodies/canonical-json.ts';
import { listCalls } from './build-step.ts';
import type { SequenceKind } from './find-sequence.ts';

/** The tool calls of a response, compared by their names and arguments. */
interface CallsDigest {
  readonly digest: string;
  /** The names of the tools for people. */
  readonly names: string;
}

/** A step that was given its place in a run, as far as it tells whether an agent runs away, and which tools it uses. It has a bounded size. */
export interface PlacedStep {
  readonly id: ExchangeId;
  readonly run: string;
  readonly sequence: number;
  /**
   * Digest of the text that a person may have written since the step before; `null` when there is none, or when a program certainly
   * wrote it. Numbers in the text make no difference.
   */
  readonly text: string | null;
  /** Whether the response came whole. */
  readonly answered: boolean;
  /** `null` when the response has no tool calls. */
  readonly calls: CallsDigest | null;
  /** Whether it is the first of a sub-agent. */
  readonly startsAgent: boolean;
  /** As in `RecognisedStep`. */
  readonly tools: readonly string[];
}

/** The place of a step. `isFirst`: it begins its sequence. */
interface StepSite {
  readonly run: string;
  readonly sequence: number;
  readonly kind: SequenceKind;
  readonly isFirst: boolean;
}

const DIGEST_LENGTH = 22;
const MAX_NAMES = 3;
const MAX_NAME = 60;

/** Returns what a step tells about its agent. `text`: that of its newest messages of the user. */
export function reportStep(
  {
    step,
    text,
    response,
    tools,
  }: {
    readonly step: RunStep;
    readonly text: string;
    readonly tools: readonly string[];
    readonly response: AssembledResponse | null;
  },
  { run, sequence, kind, isFirst }: StepSite,
): PlacedStep {
  // Programs write the texts of agents and helpers, and the summary with which a shortened history begins.
  const isByProgram = kind === 'agent' || kind === 'helper' || (kind === 'continued' && isFirst);
  return {
    id: step.id,
    run,
    sequence,
    text: isByProgram || text === '' ? null : toDigest(text.replaceAll(/\d+/gu, '#')),
    answered: findStepEnding(step) === 'answered',
    calls: digestCalls(response),
    startsAgent: kind === 'agent' && isFirst,
    tools,
  };
}

function digestCalls(response: AssembledResponse | null): CallsDigest | null {
  const calls = listCalls(response);
  if (calls.length === 0) return null;
  const texts = calls.map(({ name, input }) => [name, toComparable(input)]);
  const names = [...new Set(calls.map(({ name }) => name.slice(0, MAX_NAME)))];
  const more = names.length > MAX_NAMES ? ' and others' : '';
  return {
    digest: toDigest(JSON.stringify(texts)),
    names: `${names.slice(0, MAX_NAMES).join(', ')}${more}`,
  };
}

/** Returns arguments in a form in which white space and the order of members make no difference, where they are valid JSON. */
function toComparable(input: string): string {
  return tryParse(input) === undefined ? input.trim() : canonicalJson(input);
}

function toDigest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH);
}
