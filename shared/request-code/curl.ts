import { quoteForShell } from '../shell-quote.ts';
import { type CodeRequest, findKeyHeader, KEY_VARIABLE } from './code-request.ts';

/** Formats a request as a command for a POSIX shell. A body comes from standard input, because an argument has at most 128 KiB. */
export function formatCurl(request: CodeRequest): string {
  const { method, origin, path, headers, body } = request;
  const [name, prefix] = findKeyHeader(request);
  const url = origin + path;
  const usual = body === null ? 'GET' : 'POST';
  // curl gives brackets and braces in an address a meaning of its own.
  const plain = /[[\]{}]/u.test(url) ? '--globoff ' : '';
  const options = [
    ...(method === usual ? [] : [`--request ${quoteForShell(method)}`]),
    ...headers.map((header) => `--header ${quoteForShell(header.join(': '))}`),
    `--header "${name}: ${prefix}$${KEY_VARIABLE}"`,
    ...(body === null ? [] : ['--data-binary @-']),
  ];
  const command = [`curl --no-buffer ${plain}${quoteForShell(url)}`, ...options].join(' \\\n  ');
  return body === null ? `${command}\n` : withInput(command, body);
}

/** Gives a command its input. A JSON text has no line that equals the delimiter, and one more line end at its end is no change. */
function withInput(command: string, body: string): string {
  return isJson(body)
    ? `${command} <<'JSON'\n${body}\nJSON\n`
    : `printf %s ${quoteForShell(body)} | ${command}\n`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
