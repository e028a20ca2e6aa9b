import type {
  Answer,
  ChatEvent,
  ChatMessage,
  ChatSettings,
  ConversationId,
  MessageId,
} from '../../shared/chat.ts';
import type { ExchangeRecord } from '../../shared/exchange.ts';
import type { History } from '../history/history.ts';
import type { Log } from '../host.ts';
import { NotFound, Refused } from '../refused.ts';
import { AnswerReader, type Findings, type Piece } from './answer-reader.ts';
import { ask, type Asked } from './ask.ts';
import type { Conversations } from './conversations.ts';
import { prepare } from './prepare.ts';
import { type Failure, problemOf } from './problem.ts';
import { readError } from './read-error.ts';
import { recordOf } from './record.ts';
import type { TextRequest } from './request.ts';
import { Saver } from './saver.ts';
import { PieceHold } from './secret-hold.ts';
import { Stopwatch } from './stopwatch.ts';

/** What every answer needs from around it. */
export interface TurnGround {
  readonly conversations: Pick<Conversations, 'pathTo' | 'images' | 'saveAnswer'>;
  readonly history: Pick<History, 'get' | 'on'>;
  /** Of the proxy, now. */
  readonly port: () => number;
  /** Of the client "Chat". */
  readonly localKey: string;
  /** Of the version header of the service in use (spec section 9). */
  readonly vendor: () => string;
  /** What no answer may repeat. */
  readonly secrets: () => readonly string[];
  readonly redact: (text: string) => string;
  readonly log: Log;
  readonly tell: (id: ConversationId, event: ChatEvent) => void;
  /** Whether Gatehouse is about to end. */
  readonly closing: () => boolean;
}

/** An answer to be asked for. */
export interface TurnAsked {
  /** As it was added, `waiting`. */
  readonly message: ChatMessage;
  readonly answer: Answer;
  readonly settings: ChatSettings;
}

/** What became of an answer, the record aside. */
type Outcome = Omit<Failure, 'record' | 'extras' | 'finish'>;

/** One answer on its way: asked for once, from its beginning to its end. */
export class Turn {
  readonly #ground: TurnGround;
  readonly #asked: TurnAsked;
  readonly #stopping = new AbortController();
  readonly #watch = new Stopwatch();
  readonly #saver: Saver;
  readonly #hold: PieceHold;
  #answer: Answer;
  /** As it was told last: an end is known to nobody before it is kept. */
  #told: Answer;
  #siblings: MessageId[];
  #text = '';
  #reasoning = '';
  #stopped: 'person' | 'gatehouse' | null = null;
  /** Resolves when it is at its end and kept. Never rejects. */
  readonly ended: Promise<void>;

  constructor(asked: TurnAsked, ground: TurnGround) {
    this.#asked = asked;
    this.#ground = ground;
    this.#answer = asked.answer;
    this.#told = asked.answer;
    this.#siblings = asked.message.siblings;
    this.#hold = new PieceHold(ground.secrets);
    this.#saver = new Saver({
      save: () => ground.conversations.saveAnswer(this.id, this.#content),
      size: () => this.#text.length + this.#reasoning.length,
      log: ground.log,
    });
    this.ended = this.#run();
  }

  get id(): MessageId {
    return this.#asked.message.id;
  }

  get conversation(): ConversationId {
    return this.#asked.message.conversation;
  }

  get model(): string {
    return this.#answer.model;
  }

  /** As it is now. */
  get message(): ChatMessage {
    return {
      ...this.#asked.message,
      siblings: this.#siblings,
      ...this.#content,
      answer: this.#told,
    };
  }

  get #content() {
    return { text: this.#text, reasoning: this.#reasoning, answer: this.#answer };
  }

  /** Another answer stands beside it now. */
  learnSiblings(siblings: MessageId[]): void {
    if (siblings.includes(this.id)) this.#siblings = siblings;
  }

  /** What came is kept. Resolves when that is done, or, but for a person, when it turned out that it cannot be. */
  async stop(by: 'person' | 'removal' | 'gatehouse'): Promise<void> {
    this.#stopped ??= by === 'gatehouse' ? by : 'person';
    if (by !== 'person') this.#saver.hurry();
    this.#stopping.abort();
    await this.ended;
  }

  async #run(): Promise<void> {
    // Whoever begins it goes on first: the answer is told as it begins.
    await Promise.resolve();
    this.#tellWhole();
    let request: TextRequest | null = null;
    let reader: AnswerReader | null = null;
    let outcome: Outcome | null;
    try {
      request = await prepare(this.#asked, this.#ground.conversations);
      const asked = await this.#call(request);
      if (asked.status >= 200 && asked.status < 300) {
        reader = new AnswerReader(this.#answer.protocol, asked.contentType);
        outcome = await this.#read(asked, reader);
      } else {
        const { status, body } = asked;
        outcome = { how: 'refused', status, said: await readError(body) };
      }
    } catch (error) {
      outcome = this.#unsent(error, request !== null);
    }
    const extras = request?.extras ?? [];
    await this.#conclude(outcome, { extras, findings: reader?.findings ?? null }).catch(
      (error: unknown) => this.#note('The end of an answer could not be kept.', error),
    );
  }

  async #call(request: TextRequest): Promise<Asked> {
    const { port, localKey, vendor } = this.#ground;
    const { conversation } = this;
    const { signal } = this.#stopping;
    this.#watch.start();
    const asking = { port: port(), localKey, vendor: vendor(), conversation, signal };
    const asked = await ask(request, asking);
    this.#answer = { ...this.#answer, exchangeId: asked.exchangeId };
    return asked;
  }

  /** @returns what went wrong; `null` when nothing did. */
  async #read({ body, status }: Asked, reader: AnswerReader): Promise<Outcome | null> {
    let broken = false;
    try {
      for await (const chunk of body) {
        this.#hear(reader.push(chunk));
        if (reader.ended || reader.tooLong) break;
      }
    } catch {
      // What came of it tells what to say.
      broken = true;
    }
    this.#hear(reader.end());
    this.#add(this.#hold.rest());
    const how = this.#howItEnded(reader, broken);
    return how === null ? null : { how, status, said: reader.findings.error };
  }

  #howItEnded(reader: AnswerReader, broken: boolean): Failure['how'] | null {
    const { error, kind } = reader.findings;
    if (reader.tooLong) return 'too-long';
    if (error !== null) return 'reported';
    if (broken) return 'lost';
    if (kind === 'page' || kind === 'other') return kind;
    if (this.#text.trim() === '' && this.#reasoning === '') return 'nothing';
    return reader.whole ? null : 'short';
  }

  #unsent(error: unknown, called: boolean): Outcome {
    const how = called ? 'lost' : 'unsent';
    if (!called && (error instanceof NotFound || error instanceof Refused)) {
      return { how, status: null, said: { message: error.message, code: null, param: null } };
    }
    if (this.#stopped === null) this.#note('An answer could not be asked for.', error);
    return { how, status: null, said: null };
  }

  #hear(piece: Piece): void {
    if (piece.text === '' && piece.reasoning === '') return;
    this.#watch.piece();
    this.#add(this.#hold.pass(piece));
  }

  #add({ text, reasoning }: Piece): void {
    if (text === '' && reasoning === '') return;
    this.#text += text;
    this.#reasoning += reasoning;
    if (this.#answer.state === 'waiting') {
      const { firstTokenMs } = this.#watch;
      this.#answer = { ...this.#answer, state: 'streaming', firstTokenMs };
      this.#tellWhole();
      void this.#saver.now();
    } else {
      this.#ground.tell(this.conversation, { kind: 'more', id: this.id, text, reasoning });
      this.#saver.soon();
    }
  }

  async #conclude(
    outcome: Outcome | null,
    { extras, findings }: { extras: readonly string[]; findings: Findings | null },
  ): Promise<void> {
    const { durationMs } = this.#watch;
    const { exchangeId } = this.#answer;
    const record = exchangeId === null ? null : await recordOf(exchangeId, this.#ground.history);
    const usage = record?.usage ?? null;
    const finish = this.#clean(findings?.finish ?? null);
    const problem =
      outcome === null || this.#stopped === 'person'
        ? null
        : problemOf({ ...this.#explained(outcome), record, extras, finish });
    this.#answer = {
      ...this.#answer,
      state: this.#stateAfter(outcome),
      modelServed: this.#servedBy(record, findings),
      finish,
      durationMs,
      tokensPerSecond: this.#watch.perSecond(usage?.output ?? null),
      usage,
      cost: findings?.cost ?? null,
      problem,
    };
    // Who hears of the end may ask the next at once, and that needs this one kept; a full disk holds no end back.
    await this.#saver.last(() => this.#tellWhole());
  }

  /** What breaks while Gatehouse ends breaks because of that. */
  #explained(outcome: Outcome): Outcome {
    const { closing } = this.#ground;
    const { how, said } = outcome;
    if (this.#stopped === 'gatehouse' || (closing() && (how === 'lost' || how === 'unsent'))) {
      return { how: 'ended', status: null, said: null };
    }
    if (said === null) return outcome;
    const { message, code, param } = said;
    return {
      ...outcome,
      said: { message: this.#clean(message), code: this.#clean(code), param: this.#clean(param) },
    };
  }

  #stateAfter(outcome: Outcome | null): Answer['state'] {
    if (outcome === null) return 'done';
    if (this.#stopped === 'person') return 'stopped';
    return this.#text === '' && this.#reasoning === '' ? 'refused' : 'broken';
  }

  /** The history has it from the same answer, but for those that are too large to be looked into. */
  #servedBy(record: ExchangeRecord | null, findings: Findings | null): string | null {
    return record?.modelServed ?? this.#clean(findings?.model ?? null);
  }

  #clean(text: string | null): string | null {
    return text === null ? null : this.#ground.redact(text);
  }

  #tellWhole(): void {
    this.#told = this.#answer;
    this.#ground.tell(this.conversation, { kind: 'message', message: this.message });
  }

  #note(message: string, error: unknown): void {
    const { log, redact } = this.#ground;
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log('error', message, { reason: redact(reason) });
  }
}
