import type { Fault } from '../fault.ts';

const part = 'Chat';

export const CHAT_FAULTS: readonly Fault[] = [
  {
    part,
    fault: 'the answer is cut, short, silent, or reports an error',
    expected: 'the received text is kept with the cause',
    file: 'test/quick/chat/failures.test.ts',
    test: 'the connection is closed when a complete answer never ends',
  },
  {
    part,
    fault: 'two requests are made in one lane at once',
    expected: 'one call',
    file: 'test/quick/chat/turns.test.ts',
    test: 'has one answer in progress, even if two are requested at once',
  },
  {
    part,
    fault: 'the same call arrives twice',
    expected: 'one call',
    file: 'test/quick/chat/turns.test.ts',
    test: 'sends one request when a call arrives twice, even after its answer',
  },
  {
    part,
    fault: 'the disk is full',
    expected: 'the answer is shown, and saved once there is space',
    file: 'test/quick/chat/turns.test.ts',
    test: 'an answer that a full disk rejects is saved once there is space, and shown until then',
  },
  {
    part,
    fault: 'killed in the middle of an answer',
    expected: 'the received text is there after the next start',
    file: 'test/all/chat/ending.test.ts',
    test: 'after a crash the next start keeps the incomplete answer, marks it, and can retry it',
  },
  {
    part,
    fault: 'Gatehouse ends in the middle of an answer',
    expected: 'waits for an answer that is nearly complete',
    file: 'test/all/chat/ending.test.ts',
    test: 'quitting waits for an answer that is nearly complete, and nothing new starts',
  },
  {
    part,
    fault: 'a conversation is deleted',
    expected: 'no byte of it remains, not even in copies',
    file: 'test/quick/chat/deletion.test.ts',
    test: 'copies of the conversations contain nothing that was deleted, and a new one is made',
  },
];
