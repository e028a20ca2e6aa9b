import { DAMAGE_KINDS } from '../../damage/kinds.ts';
import type { Fault } from '../fault.ts';

const DAMAGE_TEST = 'When $name, Gatehouse answers: $expected ($before before)';

const DAMAGE_ANSWERS = {
  serves: 'serves as if nothing had happened',
  'index-anew': 'serves; the index is made anew, nothing is lost',
  'history-anew': 'serves; the history begins anew, the damaged file is kept',
  'log-left-out': 'serves what the file holds without its log',
  'log-kept': 'serves what can be read of its log, says that the rest is lost, and keeps the log',
  refused: 'does not start; names file, cause and the copy to restore',
  'chat-refused': 'serves; only conversations are refused, with the copy to restore',
  newer: 'asks for a newer Gatehouse',
  'one-client': 'turns only this client away',
} as const;

const damaged = DAMAGE_KINDS.map(({ name, database, expected, before }): Fault => ({
  part: 'Database and keys',
  fault: `${database}.db: ${name}${before === 'killed' ? ', after a kill' : ''}`,
  expected: DAMAGE_ANSWERS[expected],
  file: 'test/damage/damage.test.ts',
  test: DAMAGE_TEST,
}));

const part = 'Database and keys';

export const DATA_FAULTS: readonly Fault[] = [
  {
    part,
    fault: 'forty bytes are flipped',
    expected: 'noticed and told; the history begins anew, or a copy is offered',
    file: 'test/damage/damage.test.ts',
    test: 'Forty flipped bytes are noticed and told',
  },
  {
    part,
    fault: 'the disk is full since Gatehouse was stopped or killed',
    expected:
      'serves; orders of videos are refused; history and orders go on once there is room, without a restart',
    file: 'test/damage/full-disk.test.ts',
    test: 'it serves, refuses orders, and works again once there is room',
  },
  {
    part,
    fault:
      'a database may not be written by its owner, has bytes behind its last page, or a damaged local key',
    expected: '`doctor` fails, with file, cause and next step',
    file: 'test/damage/doctor.test.ts',
    test: 'Doctor fails, with file, cause and next step, for',
  },
  {
    part,
    fault: 'the first start is on a full disk',
    expected: 'does not start; names file, cause and the next step',
    file: 'test/damage/full-disk.test.ts',
    test: 'The first start on a full disk names the file, the cause and the next step',
  },
  {
    part,
    fault: 'a copy is restored on a full disk',
    expected: 'it says so and changes nothing',
    file: 'test/damage/full-disk.test.ts',
    test: 'A restore on a full disk says so and changes nothing',
  },
  {
    part,
    fault: 'a copy is restored',
    expected: 'it is whole, and the damaged file is kept',
    file: 'test/damage/damage.test.ts',
    test: 'A restored copy is whole, its file is for its owner only, and the damaged one is kept as it was',
  },
  {
    part,
    fault: 'a copy with a waiting video is restored',
    expected: 'the video is unsure, so nothing is paid twice',
    file: 'test/damage/copies.test.ts',
    test: 'A video that waits is unsure in a copy',
  },
  {
    part,
    fault: 'rows are erased, pruned and recorded at once',
    expected: 'rows and sums agree at every moment',
    file: 'test/history/sums.test.ts',
    test: 'rows and totals agree at every moment while two connections record, erase and prune',
  },
  {
    part,
    fault: 'killed while it erases and prunes',
    expected: 'rows and sums agree',
    file: 'test/history/sums.test.ts',
    test: 'rows and totals agree after a process was killed while it recorded, erased and pruned',
  },
  {
    part,
    fault: 'ten processes change the key file at once',
    expected: 'nothing is lost',
    file: 'test/keys/key-file.test.ts',
    test: 'ten processes that save and remove keys at once lose no key',
  },
  {
    part,
    fault: 'killed while a key is saved',
    expected: 'what was kept stays, nobody is held up',
    file: 'test/keys/key-file.test.ts',
    test: 'a process that is killed while it saves loses no stored key, and blocks no other process',
  },
  {
    part,
    fault: 'keys are set in terminals beside the window',
    expected: 'none is lost',
    file: 'test/keys/key-file.test.ts',
    test: 'keys set in terminals and in the window at once are all stored',
  },
  {
    part,
    fault: 'a newer database',
    expected: 'refused, left as it was',
    file: 'test/store/store.test.ts',
    test: 'refuses a database of a newer program and leaves it as it was',
  },
  {
    part,
    fault: 'two processes write in between',
    expected: 'no transaction fails for it',
    file: 'test/store/store.test.ts',
    test: 'that read first and write later never fail because another process wrote in between',
  },
  ...damaged,
];
