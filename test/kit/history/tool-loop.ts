import { FIXTURE_FORMAT } from '../../../sandbox/fixture/fixture.ts';
import { parseFixture } from '../../../sandbox/fixture/parse-fixture.ts';

export const LOOP_PROTOCOLS = ['chat', 'messages', 'responses'] as const;
export type LoopProtocol = (typeof LOOP_PROTOCOLS)[number];

const MODEL = 'loop-model';
const OTHER_CALLS = 40;

/** A fixture whose model calls `bash`: after a text with “again” always in the same way, after “other <N>” with another argument. */
const LOOP_FIXTURE = JSON.stringify({
  format: FIXTURE_FORMAT,
  models: [MODEL],
  steps: [
    {
      when: { contains: 'again' },
      answer: { text: '', tools: [{ name: 'bash', input: { command: 'npm test', dir: '.' } }] },
      repeat: true,
    },
    ...Array.from({ length: OTHER_CALLS }, (_, place) => ({
      when: { contains: `other <${place}>` },
      answer: { text: '', tools: [{ name: 'bash', input: { command: `ls ${place}` } }] },
      repeat: true,
    })),
    { answer: { text: 'Done.' }, repeat: true },
  ],
});

/** Reads the fixture. */
export const readLoopFixture = () => parseFixture(LOOP_FIXTURE);

type Fields = Readonly<Record<string, unknown>>;

interface LoopStyle {
  readonly path: string;
  readonly list: string;
  /** Returns the messages that a response adds, with this text as the result of each call. */
  readonly continue: (response: Fields, text: string) => readonly Fields[];
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an edge: the sandbox answers in the form of its protocol
const toFields = (value: unknown) => value as Fields;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
const toList = (value: unknown) => value as readonly Fields[];

const STYLES: Record<LoopProtocol, LoopStyle> = {
  chat: {
    path: '/v1/chat/completions',
    list: 'messages',
    continue: ({ choices }, text) => {
      const [message = {}] = toList(choices).map((choice) => toFields(choice['message']));
      const results = toList(message['tool_calls'] ?? []).map(({ id }) => ({
        role: 'tool',
        tool_call_id: id,
        content: text,
      }));
      return [message, ...results];
    },
  },
  messages: {
    path: '/v1/messages',
    list: 'messages',
    continue: ({ content }, text) => [
      { role: 'assistant', content },
      {
        role: 'user',
        content: toList(content)
          .filter(({ type }) => type === 'tool_use')
          .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: text })),
      },
    ],
  },
  responses: {
    path: '/v1/responses',
    list: 'input',
    continue: ({ output }, text) => [
      ...toList(output),
      ...toList(output)
        .filter(({ type }) => type === 'function_call')
        .map(({ call_id: id }) => ({ type: 'function_call_output', call_id: id, output: text })),
    ],
  },
};

/** An agent that calls tools as the model of the fixture says. */
export class ToolLoop {
  readonly #style: LoopStyle;
  readonly #url: string;
  readonly #key: string;
  #messages: readonly Fields[] = [];
  #response: Fields | null = null;

  constructor(url: string, key: string, protocol: LoopProtocol = 'chat') {
    this.#url = url;
    this.#key = key;
    this.#style = STYLES[protocol];
  }

  /** Sends a message of a person. */
  async ask(text: string): Promise<Response> {
    this.#messages = [
      ...this.#messages,
      ...this.#answered('stopped'),
      { role: 'user', content: text },
    ];
    return await this.#send();
  }

  /** Sends the results of the calls of the latest answer. */
  async goOn(result: string): Promise<Response> {
    this.#messages = [...this.#messages, ...this.#answered(result)];
    return await this.#send();
  }

  #answered(result: string): readonly Fields[] {
    const response = this.#response;
    this.#response = null;
    return response === null ? [] : this.#style.continue(response, result);
  }

  async #send(): Promise<Response> {
    const { path, list } = this.#style;
    const answer = await fetch(`${this.#url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#key}`,
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
      },
      body: JSON.stringify({
        model: MODEL,
        max_tokens: 100,
        tools: [{ type: 'function', name: 'bash', function: { name: 'bash' } }],
        [list]: this.#messages,
      }),
    });
    if (answer.ok) {
      this.#response = toFields(await answer.clone().json());
    }
    return answer;
  }
}
