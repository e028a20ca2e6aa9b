import assert from 'node:assert/strict';
import { AnswerReader } from '../../../../gateway/chat/protocol/answer-reader.ts';
import type { TextProtocol } from '../../../../shared/chat/chat.ts';
import { StreamMeter } from '../../../../gateway/usage/stream-meter.ts';
import type { Target } from '../target.ts';
import { MemoryBudget } from '../../../../gateway/lib/memory-budget.ts';

const memory = new MemoryBudget(1024 ** 3).open();

const PROTOCOLS: readonly TextProtocol[] = ['chat', 'responses', 'messages'];

/** Splits the input at points that its own bytes determine, so that a case can be reproduced. */
function* pieces(input: Buffer): Generator<Buffer> {
  let from = 0;
  while (from < input.length) {
    const length = 1 + ((input[from] ?? 0) % 23);
    yield input.subarray(from, from + length);
    from += length;
  }
}

function meter(protocol: TextProtocol, chunks: Iterable<Buffer>) {
  const metered = new StreamMeter(protocol, memory);
  for (const chunk of chunks) metered.push(chunk);
  metered.end();
  return { ending: metered.ending, ...metered.finish() };
}

function answer(protocol: TextProtocol, chunks: Iterable<Buffer>) {
  const reader = new AnswerReader(protocol, 'text/event-stream');
  let text = '';
  let reasoning = '';
  const add = (piece: { readonly text: string; readonly reasoning: string }) => {
    text += piece.text;
    reasoning += piece.reasoning;
  };
  for (const chunk of chunks) add(reader.push(chunk));
  add(reader.end());
  return { text, reasoning, findings: reader.metadata, ended: reader.isAtEnd };
}

/** Checks that an event stream is parsed to equal events wherever the network splits it. */
export const stream: Target = {
  name: 'stream',
  seeds: [
    '0data: {"choices":[{"delta":{"role":"assistant","content":""}}]}\n\ndata: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\ndata: [DONE]\n\n',
    '2event: message_start\ndata: {"type":"message_start","message":{"model":"m","usage":{"input_tokens":3}}}\n\nevent: content_block_delta\ndata: {"type":"content_block_delta","delta":{"type":"text_delta","text":"Hi"}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
    '1event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"Hi"}\n\nevent: response.completed\ndata: {"type":"response.completed","response":{"model":"m","usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
    '0: keep-alive\r\n\r\ndata: {"error":{"message":"no","code":"x"}}\r\n\r\n',
  ],
  words: [
    'data: ',
    'event: ',
    '\n\n',
    '\r\n',
    '\r',
    '[DONE]',
    '"usage":',
    '"finish_reason":',
    '"delta":',
    'message_stop',
    'response.completed',
    '"error":{',
    '\ufeff',
    'é',
    '😀',
  ],
  async run(input) {
    const protocol = PROTOCOLS[(input[0] ?? 0) % PROTOCOLS.length] ?? 'chat';
    const bytes = input.subarray(1);
    assert.deepEqual(meter(protocol, pieces(bytes)), meter(protocol, [bytes]));
    const whole = answer(protocol, [bytes]);
    assert.deepEqual(answer(protocol, pieces(bytes)), whole);
    assert(whole.text.length + whole.reasoning.length <= bytes.length * 2);
  },
};
