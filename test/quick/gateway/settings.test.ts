import { assert, expect, test } from 'vitest';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { DEFAULT_SETTINGS, type EffectiveSettings } from '../../../shared/settings.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { openRepositories } from '../../../gateway/gateway.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest, question } from '../../kit/gateway/request.ts';

const DAY_MS = 24 * 3_600_000;
/** A model name that needs repair. */
const LOOSE = question('chat', { model: 'AURORA-small' });

const refused = (field: string | null, message: string | undefined) => ({
  name: 'UserError',
  field,
  message,
});

test('repairs go off and on while the gateway runs', async () => {
  await using harness = await startHarness();
  expect((await sendRequest(harness, LOOSE)).status).toBe(200);
  await harness.gateway.changeSettings({ repairs: false });
  expect((await harness.gateway.status()).repairs).toBe(false);
  expect((await sendRequest(harness, LOOSE)).status).toBe(404);
  await harness.gateway.changeSettings({ repairs: true });
  expect((await sendRequest(harness, LOOSE)).status).toBe(200);
});

test('a shorter retention deletes at once what is older', async () => {
  await using harness = await startHarness();
  await sendRequest(harness, question('chat'));
  const [record] = await harness.recorded(1);
  assert(record !== undefined);
  const { history } = harness.gateway;
  history.record({
    ...record,
    id: ExchangeId.parse('ex-of-old'),
    startedAt: Date.now() - 5 * DAY_MS,
  });
  await harness.recorded(2);
  await harness.gateway.changeSettings({ keepDays: 2 });
  await expect.poll(async () => (await harness.records()).map(({ id }) => id)).toEqual([record.id]);
});

test('what the settings do not know is refused at its field, and nothing of it is kept', async () => {
  await using harness = await startHarness();
  await expect(
    harness.gateway.changeSettings({ keepHeadersDays: 3, keepDays: 0 }),
  ).rejects.toMatchObject({ name: 'UserError', field: 'keepDays', message: 'At least one day.' });
  expect(harness.repositories.settings.current()).toEqual(DEFAULT_SETTINGS);
});

test('settings survive a start, and a damaged one is its usual value with a line in the log', async () => {
  await using harness = await startHarness();
  await harness.gateway.changeSettings({ keepDays: 5, setUp: true });
  await harness.repositories.store.db
    .updateTable('setting')
    .set({ value: '"soon"' })
    .where('key', '=', 'keepDays')
    .execute();
  const furtherListeners = JSON.stringify([{ name: 'all', address: '0.0.0.0' }]);
  await harness.repositories.store.db
    .insertInto('setting')
    .values({ key: 'furtherListeners', value: furtherListeners })
    .execute();
  const logged: string[] = [];
  const host = {
    ...harness.repositories.host,
    log: (_: string, text: string) => void logged.push(text),
  };
  const later = await openRepositories({ host });
  expect(later.settings.current()).toEqual({ ...DEFAULT_SETTINGS, setUp: true });
  expect(logged.toSorted()).toEqual([
    'The setting "furtherListeners" is damaged, so its default value is used.',
    'The setting "keepDays" is damaged, so its default value is used.',
  ]);
  await later.close();
});

test('what the command line decides for this run cannot be changed, and says why', async () => {
  const pinned: EffectiveSettings['pinned'] = {
    port: 'Set by --port for this run. Start without it to change the port here.',
    repairs: 'Set by --strict for this run. Start without it to change this here.',
    upstream: 'Set by --upstream for this run. Start without it to change the service here.',
  };
  await using harness = await startHarness({ pinned, strict: true });
  const { gateway } = harness;
  const now = gateway.settings();
  expect(now).toEqual({
    settings: { ...DEFAULT_SETTINGS, port: harness.port, repairs: false },
    pinned,
  });
  await expect(gateway.changeSettings({ port: 1234 })).rejects.toMatchObject(
    refused('port', pinned.port),
  );
  await expect(gateway.changeSettings({ repairs: true })).rejects.toMatchObject(
    refused('repairs', pinned.repairs),
  );
  await expect(gateway.useUpstream(SANDBOX_ID)).rejects.toMatchObject(
    refused(null, pinned.upstream),
  );
  const { id } = (await gateway.status()).upstream;
  await expect(gateway.removeUpstream(id)).rejects.toMatchObject(refused(null, pinned.upstream));
  await expect(
    gateway.changeUpstream(id, upstreamFormFor('https://models.example.com')),
  ).rejects.toMatchObject(refused('baseUrl', pinned.upstream));
  // A form that sends everything changes what is not pinned.
  const { settings } = await gateway.changeSettings({ ...now.settings, keepDays: 30 });
  expect(settings).toEqual({ ...now.settings, keepDays: 30 });
  expect(harness.repositories.settings.current()).toEqual({ ...DEFAULT_SETTINGS, keepDays: 30 });
});
