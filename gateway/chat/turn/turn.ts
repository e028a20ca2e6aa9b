import type {
  Answer,
  ChatEvent,
  ChatMessage,
  ChatSettings,
  ConversationId,
  MessageId,
} from '../../../shared/chat/chat.ts';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { type History, waitForRecord } from '../../history/history.ts';
import type { Log } from '../../host.ts';
import { NotFoundError, UserError } from '../../errors.ts';
import { AnswerReader, type AnswerMetadata, type AnswerDelta } from '../protocol/answer-reader.ts';
import { callProxy, type ProxyResponse } from './call-proxy.ts';
import type { Conversations } from '../types.ts';
import { prepareRequest } from './prepare-request.ts';
import { type Failure, toChatProblem } from './problem.ts';

import type { TextRequest } from './build-request.ts';
import { AnswerSaver } from './answer-saver.ts';
import { StreamingRedactor } from './streaming-redactor.ts';
import { Stopwatch } from './stopwatch.ts';
import { type ReportedError, parseErrorBody } from '../protocol/parse-answer.ts';
import { asObject, tryParseJson } from '../../lib/json-object.ts';

/** Dependencies of every answer. */
export interface TurnDeps {
  readonly conversations: Pick<Conversations, 'pathTo' | 'images' | 'saveAnswer'>;
  readonly history: Pick<History, 'get' | 'on'>;
  /** Returns the current port of the proxy. */
  readonly port: () => number;
  /** Local key of the client "Chat". */
  readonly localKey: string;
  /** Returns the vendor in the version header of the service in use (spec section 9). */
  readonly vendor: () => string;
  /** Returns the secrets that are masked in answers. */
  readonly secrets: () => readonly string[];
  readonly redact: (text: string) => string;
  readonly log: Log;
  readonly publish: (id: ConversationId, event: ChatEvent) => void;
  /** Returns whether Gatehouse is quitting. */
  readonly isClosing: () => boolean;
}

/** Options of a new answer. */
export interface TurnOptions {
  /** The answer as it was added, `waiting`. */
  readonly message: ChatMessage;
  readonly answer: Answer;
  readonly settings: ChatSettings;
}

/** Outcome of an answer, without the record. */
type Outcome = Omit<Failure, 'record' | 'extras' | 'finish'>;

/** One running answer, from the request to the end. The request is sent once. */
export class Turn {
  readonly #deps: TurnDeps;
  readonly #options: TurnOptions;
  readonly #abortController = new AbortController();
  readonly #stopwatch = new Stopwatch();
  readonly #saver: AnswerSaver;
  readonly #redactor: StreamingRedactor;
  #answer: Answer;
  /** The answer as last emitted: its end is emitted only after it is saved. */
  #published: Answer;
  #siblings: MessageId[];
  #text = '';
  #reasoning = '';
  #stoppedBy: 'person' | 'gatehouse' | null = null;
  /** Resolves when the answer has ended and is saved. Never rejects. */
  readonly ended: Promise<void>;

  constructor(options: TurnOptions, deps: TurnDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#answer = options.answer;
    this.#published = options.answer;
    this.#siblings = options.message.siblings;
    this.#redactor = new StreamingRedactor(deps.secrets);
    this.#saver = new AnswerSaver({
      save: () => deps.conversations.saveAnswer(this.id, this.#content),
      size: () => this.#text.length + this.#reasoning.length,
      log: deps.log,
    });
    this.ended = this.#run();
  }

  get id(): MessageId {
    return this.#options.message.id;
  }

  get conversation(): ConversationId {
    return this.#options.message.conversation;
  }

  get model(): string {
    return this.#answer.model;
  }

  /** The answer as it is now. */
  get message(): ChatMessage {
    return {
      ...this.#options.message,
      siblings: this.#siblings,
      ...this.#content,
      answer: this.#published,
    };
  }

  get #content() {
    return { text: this.#text, reasoning: this.#reasoning, answer: this.#answer };
  }

  /** Updates the siblings when another answer was added beside it. */
  learnSiblings(siblings: MessageId[]): void {
    if (siblings.includes(this.id)) this.#siblings = siblings;
  }

  /**
   * Stops the answer and saves its text. Resolves when it is saved or, unless a person stopped it, when saving turned out to
   * be impossible.
   */
  async stop(by: 'person' | 'removal' | 'gatehouse'): Promise<void> {
    this.#stoppedBy ??= by === 'gatehouse' ? by : 'person';
    if (by !== 'person') this.#saver.stopRetrying();
    this.#abortController.abort();
    await this.ended;
  }

  async #run(): Promise<void> {
    // Yields once, so that the caller returns before the first event is emitted.
    await Promise.resolve();
    this.#publishMessage();
    let request: TextRequest | null = null;
    let reader: AnswerReader | null = null;
    let outcome: Outcome | null;
    try {
      request = await prepareRequest(this.#options, this.#deps.conversations);
      const response = await this.#sendRequest(request);
      if (response.status >= 200 && response.status < 300) {
        reader = new AnswerReader(this.#answer.protocol, response.contentType);
        outcome = await this.#readAnswer(response, reader);
      } else {
        const { status, body } = response;
        outcome = { kind: 'refused', status, error: await readErrorBody(body) };
      }
    } catch (error) {
      outcome = this.#toUnsent(error, request !== null);
    }
    const extras = request?.extras ?? [];
    await this.#complete(outcome, { extras, metadata: reader?.metadata ?? null }).catch(
      (error: unknown) => this.#logError('The end of an answer could not be saved.', error),
    );
  }

  async #sendRequest(request: TextRequest): Promise<ProxyResponse> {
    const { port, localKey, vendor } = this.#deps;
    const { conversation } = this;
    const { signal } = this.#abortController;
    this.#stopwatch.start();
    const userAgent = 'Gatehouse chat';
    const asking = { port: port(), localKey, vendor: vendor(), conversation, userAgent, signal };
    const response = await callProxy(request, asking);
    this.#answer = { ...this.#answer, exchangeId: response.exchangeId };
    return response;
  }

  /** @returns the failure; `null` when there was none. */
  async #readAnswer(
    { body, status }: ProxyResponse,
    reader: AnswerReader,
  ): Promise<Outcome | null> {
    let broken = false;
    try {
      for await (const chunk of body) {
        this.#receive(reader.push(chunk));
        if (reader.isAtEnd || reader.isTooLong) break;
      }
    } catch {
      // The outcome of the answer explains the break.
      broken = true;
    }
    this.#receive(reader.end());
    this.#append(this.#redactor.rest());
    const kind = this.#findFailure(reader, broken);
    return kind === null ? null : { kind, status, error: reader.metadata.error };
  }

  #findFailure(reader: AnswerReader, broken: boolean): Failure['kind'] | null {
    const { error, kind } = reader.metadata;
    if (reader.isTooLong) return 'too-long';
    if (error !== null) return 'reported';
    if (broken) return 'lost';
    if (kind === 'page' || kind === 'other') return kind;
    if (this.#text.trim() === '' && this.#reasoning === '') return 'nothing';
    return reader.isComplete ? null : 'short';
  }

  #toUnsent(error: unknown, called: boolean): Outcome {
    const kind = called ? 'lost' : 'unsent';
    if (!called && (error instanceof NotFoundError || error instanceof UserError)) {
      return { kind, status: null, error: { message: error.message, code: null, param: null } };
    }
    if (this.#stoppedBy === null) this.#logError('An answer could not be requested.', error);
    return { kind, status: null, error: null };
  }

  #receive(delta: AnswerDelta): void {
    if (delta.text === '' && delta.reasoning === '') return;
    this.#stopwatch.recordDelta();
    this.#append(this.#redactor.pass(delta));
  }

  #append({ text, reasoning }: AnswerDelta): void {
    if (text === '' && reasoning === '') return;
    this.#text += text;
    this.#reasoning += reasoning;
    if (this.#answer.state === 'waiting') {
      const { firstTokenMs } = this.#stopwatch;
      this.#answer = { ...this.#answer, state: 'streaming', firstTokenMs };
      this.#publishMessage();
      void this.#saver.saveNow();
    } else {
      this.#deps.publish(this.conversation, { kind: 'delta', id: this.id, text, reasoning });
      this.#saver.saveSoon();
    }
  }

  async #complete(
    outcome: Outcome | null,
    { extras, metadata }: { extras: readonly string[]; metadata: AnswerMetadata | null },
  ): Promise<void> {
    const { durationMs } = this.#stopwatch;
    const { exchangeId } = this.#answer;
    const record = exchangeId === null ? null : await waitForRecord(exchangeId, this.#deps.history);
    const usage = record?.usage ?? null;
    const finish = this.#redact(metadata?.finish ?? null);
    const problem =
      outcome === null || this.#stoppedBy === 'person'
        ? null
        : toChatProblem({ ...this.#explain(outcome), record, extras, finish });
    this.#answer = {
      ...this.#answer,
      state: this.#toState(outcome),
      modelServed: this.#findServedModel(record, metadata),
      finish,
      durationMs,
      tokensPerSecond: this.#stopwatch.perSecond(usage?.output ?? null),
      usage,
      cost: metadata?.cost ?? null,
      problem,
    };
    // A listener may send the next message at the end of this one, which needs this one saved; a full disk does not delay the
    // end.
    await this.#saver.saveLast(() => this.#publishMessage());
  }

  /** Attributes a failure while Gatehouse quits to quitting. */
  #explain(outcome: Outcome): Outcome {
    const { isClosing } = this.#deps;
    const { kind, error } = outcome;
    if (
      this.#stoppedBy === 'gatehouse' ||
      (isClosing() && (kind === 'lost' || kind === 'unsent'))
    ) {
      return { kind: 'ended', status: null, error: null };
    }
    if (error === null) return outcome;
    const { message, code, param } = error;
    return {
      ...outcome,
      error: {
        message: this.#redact(message),
        code: this.#redact(code),
        param: this.#redact(param),
      },
    };
  }

  #toState(outcome: Outcome | null): Answer['state'] {
    if (outcome === null) return 'done';
    if (this.#stoppedBy === 'person') return 'stopped';
    return this.#text === '' && this.#reasoning === '' ? 'refused' : 'broken';
  }

  /** The history parses the same answer, unless it is too large. */
  #findServedModel(record: ExchangeRecord | null, metadata: AnswerMetadata | null): string | null {
    return record?.modelServed ?? this.#redact(metadata?.model ?? null);
  }

  #redact(text: string | null): string | null {
    return text === null ? null : this.#deps.redact(text);
  }

  #publishMessage(): void {
    this.#published = this.#answer;
    this.#deps.publish(this.conversation, { kind: 'message', message: this.message });
  }

  #logError(message: string, error: unknown): void {
    const { log, redact } = this.#deps;
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log('error', message, { reason: redact(reason) });
  }
}

const MAX_ERROR = 64 * 1024;

/** Reads the body of an error (spec section 7); `null` when it has another form, is too long, or breaks off. */
async function readErrorBody(body: AsyncIterable<Buffer>): Promise<ReportedError | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_ERROR) return null;
    }
  } catch {
    // The status is enough.
    return null;
  }
  return parseErrorBody(asObject(tryParseJson(Buffer.concat(chunks).toString())) ?? {});
}
