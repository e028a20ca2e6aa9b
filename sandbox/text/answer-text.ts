import { type Call, wantsStream } from '../call.ts';
import type { RecordedResponse } from '../fixture/fixture.ts';
import type { RequestFacts } from '../fixture/playback.ts';
import { type Answer, jsonAnswer } from '../http/answer.ts';
import { requireText } from '../json.ts';
import { collectNewestTexts } from './conversation.ts';
import { composeReply, type Reply, scriptReply } from './reply.ts';
import type { TextProtocol } from './text-protocol.ts';
import { offersTools } from './tools.ts';

/**
 * Answers a text request, with the next step of the fixture where there is one. A request that is refused plays no step. Apart from its
 * model, one that gets a recorded response is not checked: the service that gave it has accepted such a request.
 */
export function answerText(protocol: TextProtocol, call: Call): Answer {
  const { playback, models } = call.account;
  if (playback === undefined) {
    return toAnswer(protocol, call, composeReply(protocol.readPrompt(call)));
  }
  models.require(requireText(call.body, 'model'), 'text');
  return playback.play(describeRequest(protocol, call), (step) =>
    step.kind === 'recorded'
      ? toRecordedAnswer(protocol, step.response)
      : toAnswer(protocol, call, scriptReply(protocol.readPrompt(call), step.answer)),
  );
}

function toAnswer(
  { toDocument, toEvents, failure }: TextProtocol,
  call: Call,
  reply: Reply,
): Answer {
  const { usage } = reply;
  if (!wantsStream(call)) return { ...jsonAnswer(toDocument(call, reply)), usage };
  return { kind: 'streamed', events: toEvents(call, reply), failure, usage };
}

function describeRequest({ name: protocol }: TextProtocol, call: Call): RequestFacts {
  return {
    protocol,
    model: requireText(call.body, 'model'),
    tools: offersTools(call.body),
    stream: wantsStream(call),
    newest: collectNewestTexts(call.body).join('\n'),
  };
}

function toRecordedAnswer({ failure }: TextProtocol, response: RecordedResponse): Answer {
  const { status, contentType, pieces, isStream, isCut } = response;
  const headers: Record<string, string> =
    contentType === undefined ? {} : { 'content-type': contentType };
  if (!isStream && !isCut) return { kind: 'complete', status, headers, body: pieces.join('') };
  const last = pieces.length - 1;
  const events = pieces.map((text, place) => ({ text, terminal: place === last }));
  return { kind: 'streamed', head: { status, headers }, events, failure, isCut };
}
