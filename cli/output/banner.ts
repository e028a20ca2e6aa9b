import type { KeyState } from '../../shared/upstream.ts';
import { wrapText } from './format.ts';

/** The facts that `gatehouse serve` prints when it is running. */
export interface BannerOptions {
  readonly version: string;
  /** The command with which a person starts this program. */
  readonly command: string;
  /** Whether repairs are off. */
  readonly strict: boolean;
  readonly port: number;
  /** A link to the window that works once; `null` without a window. */
  readonly window: string | null;
  /** Base address of the service; `null` for the sandbox. */
  readonly service: string | null;
  readonly key: KeyState;
  /** A request that could not be fulfilled, shown first; empty when there is none. */
  readonly yellow: string;
  /** Advice about a missing key; empty when there is nothing to do. */
  readonly keyAdvice: string;
  readonly localKey: LocalKey;
  /** A model of the sandbox to try. Absent for a real service, where a pasted command should cost nothing. */
  readonly model?: string;
}

/** The source of the local key. `new`: created at this start. `environment`: GATEHOUSE_LOCAL_KEY. `known`: created and shown earlier. */
export type LocalKey =
  | { readonly kind: 'new'; readonly client: string; readonly key: string }
  | { readonly kind: 'environment' }
  | { readonly kind: 'known' };

export interface BannerStyle {
  bold(text: string): string;
  dim(text: string): string;
  yellow(this: void, text: string): string;
}

/** Formats the banner as lines. Every line but the one to paste fits into 80 columns as long as the addresses do. */
export function formatBanner(options: BannerOptions, style: BannerStyle): readonly string[] {
  const root = `http://127.0.0.1:${options.port}`;
  return [
    style.bold(`Gatehouse ${options.version} is running.`),
    '',
    ...wrapText(options.yellow, 78).map((line) => style.yellow(`  ${line}`)),
    ...(options.yellow === '' ? [] : ['']),
    ...formatService(options, style),
    ...(options.strict ? ['  Repairs     off: requests are forwarded unchanged'] : []),
    '',
    ...formatWindow(options, style),
    '  Base addresses for your clients',
    `    Chat Completions, Responses   ${style.bold(`${root}/v1`)}`,
    `    Messages                      ${style.bold(root)}`,
    '',
    ...formatLocalKey(options, style),
    '',
    '  Try it',
    `    ${formatCurl(options, root)}`,
    '',
    style.dim('  Ctrl-C stops Gatehouse.'),
  ];
}

const INDENT = ' '.repeat(14);
const TEXT_WIDTH = 80 - INDENT.length;

function formatService(options: BannerOptions, style: BannerStyle): readonly string[] {
  if (options.service === null) {
    return [
      '  Service     the sandbox on this machine: answers are made up and cost nothing',
      ...formatHint(
        'Use yours:',
        `${options.command} key set --upstream https://models.example.com`,
        style,
      ),
    ];
  }
  const emphasis = options.keyAdvice === '' ? (text: string) => text : style.yellow;
  const sentence = wrapText(options.key.sentence, TEXT_WIDTH).map((line) => emphasis(line));
  const advice =
    options.keyAdvice === ''
      ? []
      : [
          ...wrapText(options.keyAdvice, TEXT_WIDTH),
          ...wrapText(
            `Without a key, try the sandbox: ${options.command} serve --sandbox`,
            TEXT_WIDTH,
          ),
        ];
  return [
    `  Service     ${options.service}`,
    ...[...sentence, ...advice].map(
      (line, index) => (index === 0 ? '  Key         ' : INDENT) + line,
    ),
  ];
}

/** Formats a command to paste, on a line of its own where it does not fit beside its text. */
function formatHint(text: string, command: string, style: BannerStyle): readonly string[] {
  return wrapText(`${text} ${command}`, TEXT_WIDTH).map((line) => style.dim(INDENT + line));
}

function formatWindow({ window, command }: BannerOptions, style: BannerStyle): readonly string[] {
  return window === null
    ? []
    : [
        `  Window      ${style.bold(window)}`,
        ...formatHint('It works once; another one:', `${command} open`, style),
        '',
      ];
}

function formatLocalKey(
  { localKey, command }: BannerOptions,
  style: BannerStyle,
): readonly string[] {
  switch (localKey.kind) {
    case 'new':
      return [
        `  Local key   ${style.bold(localKey.key)}`,
        style.dim(`              for "${localKey.client}"; it is shown only once`),
      ];
    case 'environment':
      return ['  Local key   from the environment (GATEHOUSE_LOCAL_KEY)'];
    case 'known':
      return [
        '  Local key   the one you have; Gatehouse does not store it',
        ...formatHint('Make another:', `${command} clients add NAME`, style),
        style.dim('              In the command below, replace $GATEHOUSE_LOCAL_KEY with yours.'),
      ];
  }
}

function formatCurl({ localKey, model }: BannerOptions, root: string): string {
  const key = localKey.kind === 'new' ? localKey.key : '$GATEHOUSE_LOCAL_KEY';
  const authorization = `-H "Authorization: Bearer ${key}"`;
  if (model === undefined) {
    return `curl ${root}/v1/models ${authorization}`;
  }
  // Escaped double quotes work in sh and in cmd.exe.
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
  return `curl ${root}/v1/chat/completions ${authorization} -H "Content-Type: application/json" -d "${body.replaceAll('"', String.raw`\"`)}"`;
}
