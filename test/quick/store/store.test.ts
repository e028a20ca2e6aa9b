import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type Store, StoreError } from '../../../gateway/store/store.ts';

const INSERT_SETTING = 'insert into setting (key, value) values (?, ?)';

let folder: string;
let file: string;
const opened: Store[] = [];

async function open(): Promise<Store> {
  const store = await openStore(file);
  opened.push(store);
  return store;
}

async function settings(store: Store): Promise<string[]> {
  const rows = await store.db.selectFrom('setting').select('key').orderBy('key').execute();
  return rows.map((row) => row.key);
}

/** Reads the only setting and writes it back one higher. */
function increment(store: Store): Promise<void> {
  return store.db.transaction().execute(async (inside) => {
    const { value } = await inside.selectFrom('setting').select('value').executeTakeFirstOrThrow();
    const next = String(Number(value) + 1);
    await inside.updateTable('setting').set({ value: next }).execute();
  });
}

/** Opens the same database in another process, which is controlled by messages. */
function openElsewhere(script: string) {
  const entry = join(import.meta.dirname, script);
  return fork(entry, [file], { execPath: process.execPath, execArgv: [] });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-store-'));
  file = join(folder, 'gatehouse.db');
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await rm(folder, { recursive: true, force: true });
});

describe('opening', () => {
  it('makes a database that only its owner can read', async () => {
    const store = await open();
    await store.db.insertInto('setting').values({ key: 'a', value: '1' }).execute();
    for (const name of [file, `${file}-wal`, `${file}-shm`]) {
      expect((await stat(name)).mode & 0o777).toBe(0o600);
    }
  });

  it('finds again what was written before', async () => {
    const first = await open();
    await first.db.insertInto('setting').values({ key: 'kept', value: '1' }).execute();
    await first.close();
    expect(await settings(await open())).toEqual(['kept']);
  });

  it('succeeds in every store when many open a new file at once', async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, open));
    await Promise.all(
      stores.map((store, i) => store.write([{ sql: INSERT_SETTING, rows: [[`from ${i}`, '{}']] }])),
    );
    expect(await settings(await open())).toHaveLength(6);
  });

  it('refuses a database of a newer program and leaves it as it was', async () => {
    await (await open()).close();
    const raw = new DatabaseSync(file);
    raw.exec("insert into kysely_migration values ('9999-later', '2099-01-01T00:00:00.000Z')");
    raw.close();
    const error = await openStore(file).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ code: 'newer', message: expect.stringContaining('Update') });
  });

  it('takes a name in the list of migrations that was changed for damage, not for a newer program', async () => {
    await (await open()).close();
    const raw = new DatabaseSync(file);
    raw.exec("update kysely_migration set name = '0027-rubs' where name = '0027-runs'");
    raw.close();
    await expect(openStore(file)).rejects.toThrow('it lacks "0027-runs"');
  });

  it('says what to do about a file that is no database', async () => {
    await writeFile(file, 'this was never a database, but it is long enough to be read as one');
    await expect(openStore(file)).rejects.toMatchObject({
      name: 'StoreError',
      code: 'corrupt',
      message: expect.stringContaining('move the file away'),
    });
  });

  it('says what to do when the folder is not there', async () => {
    await expect(openStore(join(folder, 'absent', 'x.db'))).rejects.toMatchObject({
      name: 'StoreError',
      code: 'unwritable',
      message: expect.stringContaining('Check that the folder exists'),
    });
  });
});

describe('a conditional write', () => {
  const UPDATE = "update setting set value = '2' where key = ? and value = '1'";

  it('writes everything when its first step changes a row, otherwise nothing', async () => {
    const store = await open();
    await store.write([{ sql: INSERT_SETTING, rows: [['a', '1']] }], { durable: true });
    const also = (key: string) => ({ sql: INSERT_SETTING, rows: [[key, '{}']] });
    const first = { sql: UPDATE, rows: [['a']] };
    expect(await store.writeIfFirstChanges([first, also('b')], { durable: true })).toBe(true);
    expect(await store.writeIfFirstChanges([first, also('c')], { durable: true })).toBe(false);
    expect(await store.writeIfFirstChanges([first, also('d')])).toBe(false);
    expect(await settings(store)).toEqual(['a', 'b']);
  });

  it('lets one of many through', async () => {
    const stores = await Promise.all(Array.from({ length: 3 }, open));
    const [one] = stores;
    await one?.write([{ sql: INSERT_SETTING, rows: [['a', '1']] }]);
    const tries = stores.flatMap((store) =>
      [1, 2, 3].map(() => store.writeIfFirstChanges([{ sql: UPDATE, rows: [['a']] }])),
    );
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
  });
});

describe('transactions', () => {
  it('keep other work outside until they end', async () => {
    const store = await open();
    const started = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const transaction = store.db.transaction().execute(async (inside) => {
      await inside.insertInto('setting').values({ key: 'inside', value: '1' }).execute();
      started.resolve();
      await mayEnd.promise;
      throw new Error('undo');
    });
    await started.promise;
    const bulk = store.write([{ sql: INSERT_SETTING, rows: [['outside', '1']] }]);
    const query = settings(store);
    mayEnd.resolve();
    await expect(transaction).rejects.toThrow('undo');
    await bulk;
    await query;
    expect(await settings(store)).toEqual(['outside']);
  });

  it('that read first and write later never fail because another process wrote in between', async () => {
    const [one, other] = await Promise.all([open(), open()]);
    await one.db.insertInto('setting').values({ key: 'count', value: '0' }).execute();
    await Promise.all(
      Array.from({ length: 20 }, () => Promise.all([increment(one), increment(other)])),
    );
    const rows = await one.db.selectFrom('setting').select('value').execute();
    expect(rows).toEqual([{ value: '40' }]);
  });
});

describe('many rows at once', () => {
  it('are all written or none', async () => {
    const store = await open();
    const rows = [
      ['a', '1'],
      ['b', '2'],
      ['a', 'again'],
    ];
    await expect(store.write([{ sql: INSERT_SETTING, rows }])).rejects.toThrow('UNIQUE');
    expect(await settings(store)).toEqual([]);
    await store.write([{ sql: INSERT_SETTING, rows: rows.slice(0, 2) }]);
    expect(await settings(store)).toEqual(['a', 'b']);
  });
});

describe('a change from outside', () => {
  it('is told, and our own changes are not', async () => {
    // Opened one after the other, because creating the tables is an external change for a store that is already open.
    const store = await open();
    const other = await open();
    const reported: string[] = [];
    const first = Promise.withResolvers<void>();
    store.onExternalChange(() => {
      reported.push('store');
      first.resolve();
    });
    other.onExternalChange(() => reported.push('other'));
    await other.write([{ sql: INSERT_SETTING, rows: [['a', '1']] }]);
    await first.promise;
    expect(reported).toEqual(['store']);
  });

  it('is no longer told after the listener was taken off', async () => {
    // Opened one after the other, because creating the tables is an external change for a store that is already open.
    const store = await open();
    const other = await open();
    let reported = 0;
    const stop = store.onExternalChange(() => (reported += 1));
    stop();
    const seen = Promise.withResolvers<void>();
    store.onExternalChange(() => seen.resolve());
    await other.write([{ sql: INSERT_SETTING, rows: [['a', '1']] }]);
    await seen.promise;
    expect(reported).toBe(0);
  });
});

describe('closing', () => {
  it('waits for what was asked before and refuses what comes after', async () => {
    const store = await openStore(file);
    const asked = store.write([{ sql: INSERT_SETTING, rows: [['last', '1']] }]);
    await store.close();
    await asked;
    await expect(
      store.write([{ sql: INSERT_SETTING, rows: [['late', '1']] }]),
    ).rejects.toMatchObject({
      code: 'closed',
    });
    await store.close();
    expect(await settings(await open())).toEqual(['last']);
  });

  it('is not needed for the process to end', async () => {
    const child = openElsewhere('idle-process.ts');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });
});

describe('a process killed while it writes', () => {
  it('leaves whole batches and a sound database', async () => {
    const child = openElsewhere('writing-process.ts');
    const [written] = await once(child, 'message');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = await open();
    const keys = await settings(store);
    expect(keys.length).toBeGreaterThanOrEqual(Number(written));
    expect(keys.length % 100).toBe(0);
    await store.close();
    const raw = new DatabaseSync(file);
    expect(raw.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    raw.close();
  });
});
