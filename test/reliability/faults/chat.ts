import type { Fault } from '../fault.ts';

const part = 'Chat';

export const CHAT_FAULTS: readonly Fault[] = [
  {
    part,
    fault: 'the answer is cut, short, silent, or reports an error',
    expected: 'what came is kept, and who broke it is said',
    file: 'test/chat/failures.test.ts',
    test: 'an answer that never ends is hung up on once everything is said',
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
    test: 'an answer that a full disk does not take is kept once there is room, and shown until then',
  },
  {
    part,
    fault: 'killed in the middle of an answer',
    expected: 'what came is there at the next start',
    file: 'test/chat/ending.test.ts',
    test: 'after a crash the next start keeps what came, says so, and can be asked again',
  },
  {
    part,
    fault: 'Gatehouse ends in the middle of an answer',
    expected: 'an answer that is nearly there is waited for',
    file: 'test/chat/ending.test.ts',
    test: 'an answer that is nearly there is waited for when Gatehouse ends, and nothing new begins',
  },
  {
    part,
    fault: 'a conversation is deleted',
    expected: 'no byte of it stays, in copies neither',
    file: 'test/chat/deletion.test.ts',
    test: 'Copies of the conversations hold nothing that was deleted, and a fresh one is made',
  },
];
