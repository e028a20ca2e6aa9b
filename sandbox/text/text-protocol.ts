import type { Call } from '../call.ts';
import type { ProtocolName } from '../fixture/fixture.ts';
import type { StreamEvent } from '../http/answer.ts';
import type { Prompt, Reply } from './reply.ts';

/** The form of requests and answers in one of the three protocols. */
export interface TextProtocol {
  readonly name: ProtocolName;
  /** @throws RefusalError for a request that violates the protocol */
  readPrompt(this: void, call: Call): Prompt;
  /** Formats a reply as one JSON document. */
  toDocument(this: void, call: Call, reply: Reply): object;
  /** Formats a reply as a stream. */
  toEvents(this: void, call: Call, reply: Reply): Iterable<StreamEvent>;
  /** The event with which it reports a failure mid-stream. */
  readonly failure: string;
}
