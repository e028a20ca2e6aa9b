import { openStore } from '../../../gateway/store/store.ts';

/** Writes batches of 100 rows without end, and prints after every fifth how many are durable. */
const store = await openStore(String(process.argv[2]));
for (let batch = 0; ; batch += 1) {
  const rows = Array.from({ length: 100 }, (_, i) => [`${batch}/${i}`, '{}']);
  await store.write([{ sql: 'insert into setting (key, value) values (?, ?)', rows: rows }]);
  if (batch === 4) process.send?.(500);
}
