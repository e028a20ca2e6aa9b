import type { KeyboardEvent } from 'react';

/** Whether letters are still being composed of several keys: Enter ends them then, and sends nothing. */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  // Safari tells of the Enter that ended it when it is over, by this code.
  return nativeEvent.isComposing || nativeEvent.keyCode === 229;
}
