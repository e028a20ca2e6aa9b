import { expect, test } from 'vitest';
import type { ExchangeRecord } from '../../shared/exchange.ts';
import { arrivedAt } from '../kit/arrived.ts';
import { type House, startHouse } from '../kit/house.ts';
import { composeRequest, sendRaw } from '../kit/raw.ts';
import { jsonAnswer, openUpstream } from '../kit/upstream.ts';

const OPTIONS = '"stream_options":{"include_usage":true}';

function chat(model: string): string {
  return `{"model":"${model}","messages":[{"role":"user","content":"Hi"}], ${OPTIONS},"stream":true}`;
}

async function ask(house: House, body: string) {
  const { port, localKey } = house;
  const lines = [`Authorization: Bearer ${localKey}`, 'Content-Type: application/json'];
  const bytes = composeRequest({ ask: 'POST /v1/chat/completions', port, lines, body });
  const answer = await sendRaw(port, bytes);
  const record = await house.recordOf(answer.headers.get('x-gatehouse-exchange'));
  return { answer, record };
}

function codes({ repairs }: ExchangeRecord): string[] {
  return repairs.map(({ code }) => code);
}

async function bodies(house: House): Promise<string[]> {
  return await Promise.all(arrivedAt(house).map(async ({ body }) => String(await body)));
}

test('a model that refuses stream_options is asked again without, and remembered', async () => {
  await using house = await startHouse();
  const body = chat('harbor/harbor-strict');
  const without = body.replace(` ${OPTIONS},`, ' ');

  const first = await ask(house, body);
  expect(first.answer.status).toBe(200);
  expect(first.answer.body).toContain('data: [DONE]');
  expect(first.answer.headers.get('x-gatehouse-repairs')).toBe('stream-options-removed');
  expect(first.record.attempts).toBe(2);
  expect(codes(first.record)).toEqual(['stream-options-removed']);

  const second = await ask(house, body);
  expect(second.answer.status).toBe(200);
  expect(second.record.attempts).toBe(1);
  expect(codes(second.record)).toEqual(['stream-options-removed']);

  expect(await bodies(house)).toEqual([body, without, without]);
  expect(house.sandbox.charges).toBe(2);
});

test('what one model refuses is still sent to the others', async () => {
  await using house = await startHouse();
  await ask(house, chat('harbor/harbor-strict'));
  const { answer, record } = await ask(house, chat('ember-mini'));
  expect(answer.body).toContain('"usage":{');
  expect(record).toMatchObject({ repairs: [], attempts: 1, usage: { source: 'reported' } });
});

test('a 400 that has another reason reaches the client, and nothing is remembered', async () => {
  await using house = await startHouse();
  const wrong = chat('ember-mini').replace('"stream":true', '"temperature":"hot","stream":true');
  const { answer, record } = await ask(house, wrong);
  expect(answer.status).toBe(400);
  expect(answer.body).toContain('temperature');
  expect(codes(record)).toEqual([]);
  const good = await ask(house, chat('ember-mini'));
  expect(good.record).toMatchObject({ repairs: [], attempts: 1 });
});

test('a service that fails at the second try has not shown that the model refuses the field', async () => {
  await using service = await openUpstream();
  await using house = await startHouse({ baseUrl: service.url });
  const script = [jsonAnswer(400, {}), jsonAnswer(500, {}), jsonAnswer(200, {})];
  const body = chat('some/model');
  const sent: string[] = [];
  const play = async (): Promise<void> => {
    for (const line of script) {
      let arrival = await service.next();
      // The gateway asks for the model list in its own name.
      while (arrival.head.startsWith('GET')) {
        arrival.wire.send(jsonAnswer(200, { data: [{ id: 'some/model' }] }));
        arrival = await service.next();
      }
      sent.push(arrival.body);
      arrival.wire.send(line);
    }
  };
  const played = play();
  expect((await ask(house, body)).record).toMatchObject({ status: 500, attempts: 2 });
  expect((await ask(house, body)).record).toMatchObject({ status: 200, attempts: 1, repairs: [] });
  await played;
  expect(sent).toEqual([body, body.replace(` ${OPTIONS},`, ' '), body]);
});
