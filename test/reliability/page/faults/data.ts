import { DAMAGE_KINDS } from '../../../all/damage/kinds.ts';
import type { Fault } from '../fault.ts';

const DAMAGE_TEST = 'if $name, Gatehouse reacts with $expected ($before before)';

const DAMAGE_ANSWERS = {
  serves: 'serves as if nothing had happened',
  'index-anew': 'serves; the index is rebuilt, nothing is lost',
  'history-anew': 'serves; a new history is started, the damaged file is kept',
  'log-left-out': 'serves the content of the file without its log',
  'log-kept':
    'serves the readable part of its log, reports that the rest is lost, and keeps the log',
  refused: 'does not start; names file, cause and the copy to restore',
  'chat-refused':
    'serves; only conversations are unavailable, with the name of the copy to restore',
  newer: 'asks for a newer Gatehouse',
  'one-client': 'rejects only this client',
} as const;

const damaged = DAMAGE_KINDS.map(({ name, database, expected, before }): Fault => ({
  part: 'Database and keys',
  fault: `${database}.db: ${name}${before === 'killed' ? ', after a kill' : ''}`,
  expected: DAMAGE_ANSWERS[expected],
  file: 'test/all/damage/damage.test.ts',
  test: DAMAGE_TEST,
}));

const part = 'Database and keys';

export const DATA_FAULTS: readonly Fault[] = [
  {
    part,
    fault: 'forty bytes are flipped',
    expected: 'noticed and reported; a new history is started, or a copy is offered',
    file: 'test/all/damage/damage.test.ts',
    test: 'forty flipped bytes are noticed and reported',
  },
  {
    part,
    fault: 'the disk became full after Gatehouse was stopped or killed',
    expected:
      'serves; video orders are rejected; history and orders recover once there is space, without a restart',
    file: 'test/all/damage/full-disk.test.ts',
    test: 'Gatehouse serves, rejects orders, and recovers once there is space',
  },
  {
    part,
    fault:
      'a database is read-only for its owner, has bytes after its last page, or a damaged local key',
    expected: '`doctor` fails, with file, cause and next step',
    file: 'test/all/damage/doctor.test.ts',
    test: 'Doctor fails, with file, cause and next step, for',
  },
  {
    part,
    fault: 'the first start is on a full disk',
    expected: 'does not start; names file, cause and the next step',
    file: 'test/all/damage/full-disk.test.ts',
    test: 'the first start on a full disk names the file, the cause and the next step',
  },
  {
    part,
    fault: 'a copy is restored on a full disk',
    expected: 'it reports the full disk and changes nothing',
    file: 'test/all/damage/full-disk.test.ts',
    test: 'a restore on a full disk reports it and changes nothing',
  },
  {
    part,
    fault: 'a copy is restored',
    expected: 'it is complete, and the damaged file is kept',
    file: 'test/all/damage/damage.test.ts',
    test: 'a restored copy is complete and private to its owner, and the damaged file is kept unchanged',
  },
  {
    part,
    fault: 'a copy with a waiting video is restored',
    expected: 'the video is unsure, so nothing is paid twice',
    file: 'test/all/damage/copies.test.ts',
    test: 'a waiting video is unsure in a copy',
  },
  {
    part,
    fault: 'rows are erased, pruned and recorded at once',
    expected: 'rows and sums agree at every moment',
    file: 'test/all/history/sums.test.ts',
    test: 'rows and totals agree at every moment while two connections record, erase and prune',
  },
  {
    part,
    fault: 'killed while it erases and prunes',
    expected: 'rows and sums agree',
    file: 'test/reliability/crash/history-sums.test.ts',
    test: 'rows and totals agree after a process was killed while it recorded, erased and pruned',
  },
  {
    part,
    fault: 'killed while requests and responses are stored, deleted or pruned',
    expected:
      'each is there as a whole or not at all; at the next start those are deleted that the history lacks',
    file: 'test/all/bodies/killed.test.ts',
    test: 'it has whole bodies, and after the next start none that the history lacks',
  },
  {
    part,
    fault: 'killed under the load of agents while requests and responses are stored',
    expected: 'each is that which passed, to the byte',
    file: 'test/reliability/crash/bodies.test.ts',
    test: 'times while it deletes and prunes, each body is that which passed',
  },
  {
    part,
    fault: 'killed while everything is erased',
    expected: 'requests and responses are gone already; the next start erases the rest',
    file: 'test/quick/contract/erase.test.ts',
    test: 'erasing everything removes requests and responses first, because a crash later would leave them',
  },
  {
    part,
    fault: 'more requests and responses at once than can be stored',
    expected: '64 MiB are captured and 64 MiB wait; the rest is not kept, and the log says so once',
    file: 'gateway/bodies/bodies.test.ts',
    test: 'of what is captured, and of what waits, 64 MiB are kept at once; the rest is dropped, and the log says so once',
  },
  {
    part,
    fault: 'ten processes change the key file at once',
    expected: 'nothing is lost',
    file: 'test/all/keys/key-file.test.ts',
    test: 'ten processes that save and remove keys at once lose no key',
  },
  {
    part,
    fault: 'killed while a key is saved',
    expected: 'stored keys remain, and no process is blocked',
    file: 'test/all/keys/key-file.test.ts',
    test: 'a process that is killed while it saves loses no stored key, and blocks no other process',
  },
  {
    part,
    fault: 'keys are set in terminals beside the window',
    expected: 'all are stored',
    file: 'test/all/keys/key-file.test.ts',
    test: 'keys set in terminals and in the window at once are all stored',
  },
  {
    part,
    fault: 'a newer database',
    expected: 'rejected and left unchanged',
    file: 'test/quick/store/store.test.ts',
    test: 'refuses a database of a newer program and leaves it as it was',
  },
  {
    part,
    fault: 'two processes write between read and write',
    expected: 'no transaction fails',
    file: 'test/quick/store/store.test.ts',
    test: 'that read first and write later never fail because another process wrote in between',
  },
  ...damaged,
];
