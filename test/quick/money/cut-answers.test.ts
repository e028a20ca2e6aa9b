import { expect, test } from 'vitest';
import { NO_PRICES } from '../../../shared/money/price.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { type ProtocolName, PROTOCOLS, question, sendRequest } from '../../kit/gateway/request.ts';

const MODEL = 'aurora/aurora-small';
const PRICES = { ...NO_PRICES, input: 1_000_000, output: 1_000_000 };

async function startPriced(): Promise<Harness> {
  const harness = await startHarness();
  await harness.repositories.prices.add([
    { service: null, model: '*', validFrom: 0, prices: PRICES, tiers: [], origin: 'entered' },
  ]);
  return harness;
}

/** Asks three times for whole answers, and then once with a fault; returns the records and the entry in the books of the last. */
async function askWithFault(
  harness: Harness,
  protocol: ProtocolName,
  fault: string,
  stream: boolean,
) {
  const asked = { model: MODEL, stream, text: 'How are you today? '.repeat(40) };
  for (let times = 0; times < 3; times += 1) await sendRequest(harness, question(protocol, asked));
  const [known] = await harness.recorded(3);
  const headers = [`x-sandbox-scenario: ${fault}`];
  await sendRequest(harness, question(protocol, { ...asked, headers })).catch(() => null);
  const [record] = await harness.recorded(4);
  return { known, record, entry: harness.sandbox.books.at(-1) };
}

test.for(PROTOCOLS)('%s: a stream that is cut counts the output that came', async (protocol) => {
  await using harness = await startPriced();
  const { record, entry } = await askWithFault(harness, protocol, 'cut-stream=20', true);
  expect(record?.usage.source).toBe('estimated');
  // A stream of Messages tells its input at the beginning.
  expect(record?.usage.reportedPart).toBe(protocol === 'messages' ? 'input' : 'none');
  const { input, output } = record?.usage ?? {};
  expect(Math.abs((input ?? 0) - (entry?.usage?.input ?? 0))).toBeLessThanOrEqual(1);
  expect(output).toBeGreaterThan((entry?.produced ?? 0) / 3);
  expect(output).toBeLessThan((entry?.produced ?? 0) * 3);
  expect(record?.cost).toMatchObject({
    amount: (input ?? 0) + (output ?? 0),
    source: 'estimated',
  });
});

test.for(
  PROTOCOLS.flatMap((protocol) =>
    [true, false].flatMap((stream) =>
      (stream ? ['lost-answer'] : ['lost-answer', 'cut-stream']).map(
        (fault) => [protocol, fault, stream] as const,
      ),
    ),
  ),
)(
  '%s, %s, streamed %s: an answer of which too little came counts with what was expected',
  async ([protocol, fault, stream]) => {
    await using harness = await startPriced();
    const { known, record } = await askWithFault(harness, protocol, fault, stream);
    expect(known?.usage.source).toBe('reported');
    expect(record?.usage).toMatchObject({ source: 'estimated', output: known?.usage.output });
    const { input, output } = record?.usage ?? {};
    expect(Math.abs((input ?? 0) - (known?.usage.input ?? 0))).toBeLessThanOrEqual(1);
    expect(record?.cost?.amount).toBe((input ?? 0) + (output ?? 0));
  },
);

test('of answers that are lost at the same time each counts with its estimate', async () => {
  await using harness = await startPriced();
  const headers = ['x-sandbox-scenario: cut-stream=9'];
  await Promise.all(
    Array.from({ length: 20 }, () =>
      sendRequest(harness, question('messages', { model: MODEL, stream: true, headers })).catch(
        () => null,
      ),
    ),
  );
  const records = await harness.recorded(20);
  expect(records.every(({ usage }) => usage.source === 'estimated' && usage.output !== 0)).toBe(
    true,
  );
});
