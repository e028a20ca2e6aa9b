import type { Fault } from '../fault.ts';

const part = 'Chat';

export const CHAT_FAULTS: readonly Fault[] = [
  {
    part,
    fault: 'the answer is cut, short, silent, or reports an error',
    expected: 'what came is kept, and who broke it is said',
    file: 'test/chat/failures.test.ts',
    test: 'the connection is closed when a complete answer never ends',
  },
  {
    part,
    fault: 'two ask in one lane at the same moment',
    expected: 'one call',
    file: 'test/chat/turns.test.ts',
    test: 'has one answer on its way, also when two ask at the same moment',
  },
  {
    part,
    fault: 'the same call arrives twice',
    expected: 'one call',
    file: 'test/chat/turns.test.ts',
    test: 'asks once when the same call arrives twice, also after its answer',
  },
  {
    part,
    fault: 'the disk is full',
    expected: 'the answer is shown, and kept once there is room',
    file: 'test/chat/turns.test.ts',
    test: 'an answer that a full disk rejects is saved once there is space, and shown until then',
  },
  {
    part,
    fault: 'killed in the middle of an answer',
    expected: 'what came is there at the next start',
    file: 'test/chat/ending.test.ts',
    test: 'after a crash the next start keeps the incomplete answer, marks it, and can retry it',
  },
  {
    part,
    fault: 'Gatehouse ends in the middle of an answer',
    expected: 'an answer that is nearly there is waited for',
    file: 'test/chat/ending.test.ts',
    test: 'quitting waits for an answer that is nearly complete, and nothing new starts',
  },
  {
    part,
    fault: 'a conversation is deleted',
    expected: 'no byte of it stays, in copies neither',
    file: 'test/chat/deletion.test.ts',
    test: 'Copies of the conversations contain nothing that was deleted, and a new one is made',
  },
];
