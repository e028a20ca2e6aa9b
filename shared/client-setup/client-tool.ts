import type { TextProtocol } from '../chat/chat.ts';

/** The values that a recipe is filled with: both base addresses, a local key and a model id. */
export interface SetupValues {
  /** Base address with `/v1`. */
  readonly chat: string;
  /** Base address without `/v1`. */
  readonly messages: string;
  readonly key: string;
  readonly model: string;
}

export type Language = 'json' | 'toml' | 'yaml' | 'env' | 'shell' | 'ts' | 'python' | 'text';

/** One step of a recipe. `code` is copied verbatim. */
export interface Step {
  readonly text: string;
  /** The file or menu that `code` is pasted into. */
  readonly where?: string;
  readonly code?: string;
  readonly language?: Language;
  /** The PowerShell form of `code`; absent where it does not differ. */
  readonly windows?: string;
}

/** A program that people connect, and the steps that set it up for Gatehouse. */
export interface ClientTool {
  readonly id: string;
  readonly name: string;
  /** The base address that the tool expects: with or without `/v1`. */
  readonly style: 'chat' | 'messages' | 'both';
  /** The only protocol that it speaks; absent when its style says it. */
  readonly protocol?: TextProtocol;
  /** `true`, or a sentence that says why the tool cannot reach an address of this machine. */
  readonly supportsLocalhost: true | string;
  /** Set where this is from the documentation of the tool, and was not tried with it. */
  readonly checked?: 'documented';
  /** Whether the recipe lists values to enter where the program asks for them, instead of steps in order. */
  readonly isUnordered?: true;
  readonly recipe: (values: SetupValues) => readonly Step[];
}

/** Placeholder for a local key that can no longer be shown. */
export const KEY_PLACEHOLDER = 'YOUR_LOCAL_KEY';

/** Placeholder for a model until one is chosen. */
export const MODEL_PLACEHOLDER = 'CHOOSE_A_MODEL';
