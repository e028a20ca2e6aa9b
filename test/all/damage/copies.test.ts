import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { listCopies, createCopy, startDailyCopies } from '../../../gateway/backup/backup.ts';
import { openStore } from '../../../gateway/store/store.ts';
import { openTestMachine } from '../../kit/process/test-machine.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';
import { canMount, openSmallDisk } from '../../kit/disk/small-disk.ts';

test('the last three copies are kept, private to their owner, without the history, and numbered regardless of the clock', async () => {
  await using folder = await openHistoryFolder();
  const { dataDir } = folder;
  await folder.record(anExchange('one'));
  await folder.store.db
    .insertInto('client')
    .values({ id: 'a', name: 'Editor', key_hash: 'ab', created_at: 1 })
    .execute();
  for (const now of [NOON, NOON + 1_000, NOON - 90_000_000, NOON]) {
    await createCopy({ dataDir, now: () => now }, 'gatehouse');
  }
  const copies = await listCopies(dataDir);
  expect(copies.map(({ number }) => number)).toEqual([4, 3, 2]);
  expect(await readdir(join(dataDir, 'copies'))).toHaveLength(3);
  for (const { file } of copies) {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const copy = new DatabaseSync(file, { readOnly: true });
    expect(copy.prepare('select count(*) as n from exchange').get()).toEqual({ n: 0 });
    expect(copy.prepare('select name from client').all()).toEqual([{ name: 'Editor' }]);
    copy.close();
    await (await openStore(file)).close();
  }
});

test('the first three copies are made within hours, and later ones a day apart', async () => {
  await using folder = await openHistoryFolder();
  const { dataDir } = folder;
  const numbersAfter = async (hours: number): Promise<readonly number[]> => {
    const now = () => NOON + hours * 3_600_000;
    const copies = startDailyCopies({ dataDir, now, log: () => undefined, command: null });
    // Waits for the first check.
    await copies.purgeWith(() => Promise.resolve());
    await copies.close();
    return (await listCopies(dataDir)).map(({ number }) => number);
  };
  expect(await numbersAfter(0)).toEqual([1]);
  expect(await numbersAfter(0.4)).toEqual([1]);
  expect(await numbersAfter(1)).toEqual([2, 1]);
  expect(await numbersAfter(2)).toEqual([3, 2, 1]);
  expect(await numbersAfter(20)).toEqual([3, 2, 1]);
  expect(await numbersAfter(26)).toEqual([4, 3, 2]);
});

test('a waiting video is unsure in a copy, so that no order is paid twice after it is restored', async () => {
  await using folder = await openHistoryFolder();
  const { dataDir } = folder;
  const row = {
    rev: 1,
    origin: 'window',
    service: 'sandbox',
    created_at: 1,
    state_since: 1,
    words: '',
    data: '{"charged":"no","orders":0,"problem":null}',
  } as const;
  const jobs = [
    { ...row, id: 'waits', state: 'waiting' },
    { ...row, id: 'done', state: 'done' },
  ] as const;
  for (const job of jobs) await folder.store.db.insertInto('video_job').values(job).execute();
  await createCopy({ dataDir, now: () => NOON }, 'gatehouse');
  const [copy] = await listCopies(dataDir);
  const copied = new DatabaseSync(copy?.file ?? '', { readOnly: true });
  const select = "select id, state, data ->> '$.charged' as charged from video_job order by id";
  expect(copied.prepare(select).all()).toEqual([
    { id: 'done', state: 'done', charged: 'no' },
    { id: 'waits', state: 'unsure', charged: 'maybe' },
  ]);
  copied.close();
});

test.skipIf(!canMount())(
  'after a kill on a disk that has become full, Gatehouse starts and serves',
  async () => {
    using disk = openSmallDisk(8_192);
    await using terminal = await openTestMachine();
    const environment = { GATEHOUSE_DATA_DIR: join(disk.path, 'data') };
    const first = await terminal.serve(['--no-ui'], { environment });
    const { localKey } = first;
    await first[Symbol.asyncDispose]();
    for (let file = 0, full = false; !full; file += 1) {
      const filled = writeFile(
        join(disk.path, `filler-${file}`),
        Buffer.alloc(file < 8 ? 1_000_000 : 4_096),
      );
      full = await filled.then(
        () => false,
        () => file >= 8,
      );
    }
    await using second = await terminal.serve(['--no-ui'], { environment });
    const answer = await fetch(`http://127.0.0.1:${second.port}/v1/models`, {
      headers: { authorization: `Bearer ${localKey}` },
    });
    expect(answer.status).toBe(200);
    await answer.text();
    await second.stop('SIGTERM');
  },
);
