import { globalShortcut } from 'electron';
import type { DesktopState } from '../shared/desktop-contract.ts';
import { type Shortcut, shortcutWords } from '../shared/shortcut.ts';
import type { Memory } from './memory.ts';

/** Has an app that runs show its quick chat, or hide it: for systems that let no program have a shortcut. */
export const QUICK = '--quick-chat';

const ASKED =
  'On Wayland the desktop may ask you to allow it, and may give it other keys: its own settings say which.';
const BY_HAND = `Where the desktop has shortcuts of its own, have one start Gatehouse with ${QUICK}.`;

/** The shortcut of the quick chat: kept, and the system's as long as the app runs. None unless a person sets one. */
export class QuickShortcut {
  readonly #memory: Memory;
  readonly #onPress: () => void;
  #sentence: string | null = null;

  constructor(memory: Memory, onPress: () => void) {
    this.#memory = memory;
    this.#onPress = onPress;
    const { quickShortcut } = memory.now;
    if (quickShortcut !== null) this.#sentence = this.#register(quickShortcut) ?? caution();
  }

  get state(): DesktopState['quickChat'] {
    return { shortcut: this.#memory.now.quickShortcut, sentence: this.#sentence };
  }

  /** Takes another one, or none. Gives why the system refused it, a sentence: the one of before stays. */
  set(shortcut: Shortcut | null): string | null {
    const before = this.#memory.now.quickShortcut;
    const isHeld = before !== null && globalShortcut.isRegistered(before);
    if (shortcut !== null && !(shortcut === before && isHeld)) {
      const refusal = this.#register(shortcut);
      if (refusal !== null) return refusal;
    }
    if (isHeld && shortcut !== before) globalShortcut.unregister(before);
    this.#memory.keep({ quickShortcut: shortcut });
    this.#sentence = shortcut === null ? null : caution();
    return null;
  }

  #register(shortcut: Shortcut): string | null {
    if (globalShortcut.register(shortcut, this.#onPress)) return null;
    const words = shortcutWords(shortcut, process.platform);
    if (isWayland()) return `The desktop did not give us ${words}. ${BY_HAND}`;
    return `${words} belongs to another program, or to the system. Choose another, or free it there.`;
  }
}

/** There the answer to a registration says only that it was asked for. */
function caution(): string | null {
  return isWayland() ? `${ASKED} ${BY_HAND}` : null;
}

function isWayland(): boolean {
  return process.platform === 'linux' && (process.env['WAYLAND_DISPLAY'] ?? '') !== '';
}
