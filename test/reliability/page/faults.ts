import { CHAT_FAULTS } from './faults/chat.ts';
import { DATA_FAULTS } from './faults/data.ts';
import { PROXY_FAULTS } from './faults/proxy.ts';
import { VIDEO_FAULTS } from './faults/videos.ts';
import type { Fault } from './fault.ts';

/** Each known fault, with the test that causes it. */
export const FAULTS: readonly Fault[] = [
  ...PROXY_FAULTS,
  ...VIDEO_FAULTS,
  ...CHAT_FAULTS,
  ...DATA_FAULTS,
];
