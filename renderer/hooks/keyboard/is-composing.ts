import type { KeyboardEvent } from 'react';

/** Whether an input method is composing text: Enter then ends the composition and must not send. */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  // Safari reports the Enter that ended the composition after its end, with this key code.
  return nativeEvent.isComposing || nativeEvent.keyCode === 229;
}
