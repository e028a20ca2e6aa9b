/** What a recipe is made for: both base addresses, a local key and a model id. */
export interface SetupValues {
  /** Base address with `/v1`. */
  readonly chat: string;
  /** Base address without `/v1`. */
  readonly messages: string;
  readonly key: string;
  readonly model: string;
}

export type Language = 'json' | 'toml' | 'yaml' | 'env' | 'shell' | 'ts' | 'python' | 'text';

/** One thing to do. `code` is to be copied as it is. */
export interface Step {
  readonly text: string;
  /** The file or the menu that `code` goes into. */
  readonly where?: string;
  readonly code?: string;
  readonly language?: Language;
  /** The same as `code` for PowerShell; absent where there is no difference. */
  readonly windows?: string;
}

/** A program that people connect, and how it is told to use Gatehouse. */
export interface ClientTool {
  readonly id: string;
  readonly name: string;
  /** Which of the two base addresses it wants. */
  readonly style: 'chat' | 'messages' | 'both';
  /** A sentence instead of `true`: why it cannot reach an address of this machine. */
  readonly supportsLocalhost: true | string;
  readonly recipe: (values: SetupValues) => readonly Step[];
}

/** Stands for a local key that nobody can be shown again. */
export const KEY_PLACEHOLDER = 'YOUR_LOCAL_KEY';

/** Stands for a model until one is chosen. */
export const MODEL_PLACEHOLDER = 'MODEL_ID';
