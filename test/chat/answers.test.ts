import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TextProtocol } from '../../shared/chat.ts';
import { type House, startHouse } from '../kit/house.ts';
import { type Desk, deskOf } from './desk.ts';

let house: House;
let desk: Desk;
beforeAll(async () => {
  house = await startHouse();
  desk = deskOf(house);
});
afterAll(() => house[Symbol.asyncDispose]());

describe.each(TextProtocol.options)('over %s', (protocol) => {
  test('an answer comes whole, with the figures of its exchange', async () => {
    const { text, answer } = await desk.asked('Hello there, word for word.', { protocol });
    expect(text).toBe('Hello there, word for word.');
    expect(answer).toMatchObject({
      state: 'done',
      protocol,
      plain: false,
      modelServed: 'sandbox/echo',
      problem: null,
      cost: null,
    });
    const record = await house.recordOf(answer.exchangeId);
    expect(record).toMatchObject({
      clientName: 'Chat',
      route: protocol,
      userAgent: 'Gatehouse chat',
      streamed: true,
      repairs: [],
      endedBy: 'service',
      errorCode: null,
    });
    expect(answer.usage).toEqual(record.usage);
    expect(answer.usage?.source).toBe('reported');
    expect(answer.firstTokenMs).toBeGreaterThan(0);
    expect(answer.durationMs).toBeGreaterThanOrEqual(answer.firstTokenMs ?? Infinity);
  });
});
