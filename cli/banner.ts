import type { KeyState } from '../shared/upstream.ts';
import { wrap } from './figures.ts';

/** What `gatehouse serve` tells when it is running. */
export interface BannerFacts {
  readonly version: string;
  /** How a person calls this program. */
  readonly command: string;
  /** Repairs are switched off. */
  readonly strict: boolean;
  readonly port: number;
  /** A link to the window that works once; `null` without a window. */
  readonly window: string | null;
  /** Base address of the service; `null` for the sandbox. */
  readonly service: string | null;
  readonly key: KeyState;
  /** What was asked for and cannot be done, before anything else; empty when there is nothing. */
  readonly warning: string;
  /** What to do about a missing key; empty when there is nothing to do. */
  readonly keyAdvice: string;
  readonly localKey: LocalKey;
  /** A model of the sandbox to try. Absent for a real service, where a pasted line should cost nothing. */
  readonly model?: string;
}

/** `new`: made at this start. `environment`: GATEHOUSE_LOCAL_KEY. `known`: made earlier and shown then. */
export type LocalKey =
  | { readonly kind: 'new'; readonly client: string; readonly key: string }
  | { readonly kind: 'environment' }
  | { readonly kind: 'known' };

export interface BannerStyle {
  strong(text: string): string;
  quiet(text: string): string;
  warning(this: void, text: string): string;
}

/** The banner as lines; every line but the one to paste fits into 80 columns as long as the addresses do. */
export function banner(facts: BannerFacts, style: BannerStyle): readonly string[] {
  const root = `http://127.0.0.1:${facts.port}`;
  return [
    style.strong(`Gatehouse ${facts.version} is running.`),
    '',
    ...wrap(facts.warning, 78).map((line) => style.warning(`  ${line}`)),
    ...(facts.warning === '' ? [] : ['']),
    ...serviceLines(facts, style),
    ...(facts.strict
      ? ['  Repairs     off: what clients get wrong reaches the service as it is']
      : []),
    '',
    ...windowLines(facts, style),
    '  Base addresses for your clients',
    `    Chat Completions, Responses   ${style.strong(`${root}/v1`)}`,
    `    Messages                      ${style.strong(root)}`,
    '',
    ...localKeyLines(facts, style),
    '',
    '  Try it',
    `    ${curlLine(facts, root)}`,
    '',
    style.quiet('  Ctrl-C stops Gatehouse.'),
  ];
}

const INDENT = ' '.repeat(14);
const TEXT_WIDTH = 80 - INDENT.length;

function serviceLines(facts: BannerFacts, style: BannerStyle): readonly string[] {
  if (facts.service === null) {
    return [
      '  Service     the sandbox on this machine: answers are made up and cost nothing',
      ...hint(
        'Use yours:',
        `${facts.command} key set --upstream https://models.example.com`,
        style,
      ),
    ];
  }
  const emphasis = facts.keyAdvice === '' ? (text: string) => text : style.warning;
  const sentence = wrap(facts.key.sentence, TEXT_WIDTH).map((line) => emphasis(line));
  const advice =
    facts.keyAdvice === ''
      ? []
      : [
          ...wrap(facts.keyAdvice, TEXT_WIDTH),
          ...wrap(`Without a key, try the sandbox: ${facts.command} serve --sandbox`, TEXT_WIDTH),
        ];
  return [
    `  Service     ${facts.service}`,
    ...[...sentence, ...advice].map(
      (line, index) => (index === 0 ? '  Key         ' : INDENT) + line,
    ),
  ];
}

/** A command to paste, below the words before it where both do not fit into one line. */
function hint(words: string, command: string, style: BannerStyle): readonly string[] {
  return wrap(`${words} ${command}`, TEXT_WIDTH).map((line) => style.quiet(INDENT + line));
}

function windowLines({ window, command }: BannerFacts, style: BannerStyle): readonly string[] {
  return window === null
    ? []
    : [
        `  Window      ${style.strong(window)}`,
        ...hint('It works once; another one:', `${command} open`, style),
        '',
      ];
}

function localKeyLines({ localKey, command }: BannerFacts, style: BannerStyle): readonly string[] {
  switch (localKey.kind) {
    case 'new':
      return [
        `  Local key   ${style.strong(localKey.key)}`,
        style.quiet(`              for "${localKey.client}"; it is shown this once`),
      ];
    case 'environment':
      return ['  Local key   from the environment (GATEHOUSE_LOCAL_KEY)'];
    case 'known':
      return [
        '  Local key   the one you have; Gatehouse does not keep it',
        ...hint('Make another:', `${command} clients add NAME`, style),
        style.quiet('              Below, put yours in place of $GATEHOUSE_LOCAL_KEY.'),
      ];
  }
}

function curlLine({ localKey, model }: BannerFacts, root: string): string {
  const key = localKey.kind === 'new' ? localKey.key : '$GATEHOUSE_LOCAL_KEY';
  const authorization = `-H "Authorization: Bearer ${key}"`;
  if (model === undefined) {
    return `curl ${root}/v1/models ${authorization}`;
  }
  // Escaped double quotes are understood by sh and by cmd.exe alike.
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
  return `curl ${root}/v1/chat/completions ${authorization} -H "Content-Type: application/json" -d "${body.replaceAll('"', String.raw`\"`)}"`;
}
