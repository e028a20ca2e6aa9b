import { type CodeRequest, findKeyHeader, KEY_VARIABLE } from './code-request.ts';
import { TYPESCRIPT } from './literal.ts';

/** Formats a request as a Python program with the library `requests`. */
export function formatPythonRequest(request: CodeRequest): string {
  const { method, origin, path, headers, body } = request;
  const [name, prefix] = findKeyHeader(request);
  const key = `os.environ["${KEY_VARIABLE}"]`;
  const lines = [
    ...headers.map((pair) => pair.map((text) => JSON.stringify(text)).join(': ')),
    `"${name}": ${prefix === '' ? key : `"${prefix}" + ${key}`}`,
  ];
  return `import os

import requests

response = requests.request(
    ${JSON.stringify(method)},
    ${JSON.stringify(origin + path)},
    headers={
${lines.map((line) => `        ${line},\n`).join('')}    },
${body === null ? '' : `    data=${JSON.stringify(body)}.encode(),\n`})
print(response.text)
`;
}

/** Formats a request as a TypeScript program with `fetch`. */
export function formatFetch(request: CodeRequest): string {
  const { method, origin, path, headers, body } = request;
  const [name, prefix] = findKeyHeader(request);
  const lines = [
    ...headers.map(([header, value]) => `${TYPESCRIPT.key(header)}: ${JSON.stringify(value)}`),
    `${TYPESCRIPT.key(name)}: \`${prefix}\${process.env.${KEY_VARIABLE}}\``,
  ];
  return `const response = await fetch(${JSON.stringify(origin + path)}, {
  method: ${JSON.stringify(method)},
  headers: {
${lines.map((line) => `    ${line},\n`).join('')}  },
${body === null ? '' : `  body: ${JSON.stringify(body)},\n`}});
console.log(await response.text());
`;
}
