import { appendFileSync, chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type UsedFolders, createUsedFolders, openCopy } from './folder.ts';
import { runSql } from '../../kit/disk/corrupt-files.ts';

interface Wrong {
  readonly name: string;
  readonly damage: (folder: string) => void;
  /** Reported cause and next step; FOLDER stands for the data folder. */
  readonly says: readonly string[];
}

const WRONG: readonly Wrong[] = [
  {
    name: 'a database that its owner may not write',
    damage: (folder) => chmodSync(join(folder, 'gatehouse.db'), 0o400),
    says: ['The file FOLDER/gatehouse.db is not readable', 'mode is 400', 'chmod u+rw'],
  },
  {
    name: 'a local key that is damaged',
    damage: (folder) =>
      runSql(folder, 'gatehouse.db', `update client set key_hash = 'cut' where name = 'Other'`),
    says: ['local key of the client "Other" is damaged in gatehouse.db', 'clients revoke'],
  },
  {
    name: 'bytes behind the last page of a database',
    damage: (folder) => appendFileSync(join(folder, 'gatehouse.db'), 'stray'),
    says: [
      'FOLDER/gatehouse.db is not a multiple of its page size: it has 5 extra bytes',
      'truncate -s',
    ],
  },
  {
    name: 'bytes behind the last page of the conversations',
    damage: (folder) => appendFileSync(join(folder, 'chat.db'), Buffer.alloc(1_000)),
    says: [
      'FOLDER/chat.db is not a multiple of its page size: it has 1000 extra bytes',
      'truncate -s',
    ],
  },
];

describe('Doctor fails, with file, cause and next step, for', () => {
  let lived: UsedFolders;
  beforeAll(async () => {
    lived = await createUsedFolders();
  });
  afterAll(async () => await lived[Symbol.asyncDispose]());

  test.each(WRONG)('$name', async ({ damage, says }) => {
    await using terminal = await openCopy(lived.stopped);
    damage(terminal.dataDir);
    const { code, stdout } = await terminal.run(['doctor']);
    expect(code).toBe(1);
    const words = stdout.replaceAll(/\s+/gu, ' ');
    for (const part of says) expect(words).toContain(part.replace('FOLDER', terminal.dataDir));
  });

  test('nothing in an intact folder', async () => {
    await using terminal = await openCopy(lived.stopped);
    const { code, stdout } = await terminal.run(['doctor']);
    expect(stdout).not.toContain('fail');
    expect(code).toBe(0);
    expect(statSync(join(terminal.dataDir, 'gatehouse.db')).mode & 0o777).toBe(0o600);
  });
});
