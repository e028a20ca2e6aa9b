import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { Frames } from '../../../gateway/bodies/frames.ts';
import { openStoredBodies } from '../../../gateway/bodies/read-file.ts';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { ExchangeBodies } from '../../../shared/exchange/body.ts';

/** Frames that are read at most to decompress one. */
const MAX_CHAIN = 16;

/** Rows that refer to nothing, or that nothing refers to; there are none. */
const ORPHANS = {
  'frames without an exchange': 'select id from frame where id not in (select frame from exchange)',
  'frames that refer to a later one': 'select id from frame where base >= id',
  'sequences without a step': 'select id from sequence where id not in (select sequence from step)',
  'runs without a step': 'select id from run where id not in (select run from step)',
  'steps whose run is missing': 'select id from step where run not in (select id from run)',
  'steps of exchanges without a place':
    'select id from step where id in (select id from exchange where is_placed = 0)',
  'indexed texts without an exchange':
    'select id from searched_text_docsize where id not in (select number from searched)',
  'exchanges that are not in the index':
    'select number from searched where number not in (select id from searched_text_docsize)',
};

/** Checks that everything in the file of the bodies agrees. Returns the bodies of each exchange, those that began first before others. */
export function expectWhole(file: string): ReadonlyMap<ExchangeId, ExchangeBodies> {
  // It makes the tables, when the process ended before.
  using reader = openStoredBodies(file);
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true });
  expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  expect(database.prepare('pragma foreign_key_check').all()).toEqual([]);
  for (const [name, sql] of Object.entries(ORPHANS))
    expect(database.prepare(sql).all(), name).toEqual([]);
  // It throws for an index that is damaged.
  database.exec("insert into searched_text (searched_text) values ('integrity-check')");
  const bases = new Map<number, number | null>();
  for (const { id, base } of database.prepare('select id, base from frame').all())
    bases.set(Number(id), base === null ? null : Number(base));
  for (const id of bases.keys()) {
    let length = 0;
    for (let next: number | null = id; next !== null; next = bases.get(next) ?? null) length += 1;
    expect(length).toBeLessThanOrEqual(MAX_CHAIN);
    expect(() => new Frames(database).read(id)).not.toThrow();
  }
  const rows = database.prepare('select id from exchange order by started_at, id').all();
  const ids = rows.map(({ id }) => ExchangeId.parse(id));
  database.close();
  return new Map(ids.map((id) => [id, reader.read(id)]));
}
