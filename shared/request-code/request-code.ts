import type { SnippetLanguage } from '../chat/chat.ts';
import type { CodeRequest } from './code-request.ts';
import { formatCurl } from './curl.ts';
import { formatFetch, formatPythonRequest } from './plain-code.ts';
import { formatPythonSdk, formatTypescriptSdk, type SdkRequest } from './sdk-code.ts';

/** Formats a program that makes a request. It uses the official client of a text protocol, except in the shell. */
export function formatRequestCode(request: CodeRequest, language: SnippetLanguage): string {
  if (language === 'curl') return formatCurl(request);
  const sdkRequest = toSdkRequest(request);
  if (language === 'python') {
    return sdkRequest === null ? formatPythonRequest(request) : formatPythonSdk(sdkRequest);
  }
  return sdkRequest === null ? formatFetch(request) : formatTypescriptSdk(sdkRequest);
}

function toSdkRequest({ protocol, body, ...rest }: CodeRequest): SdkRequest | null {
  const fields = body === null ? null : parseObject(body);
  return protocol === null || fields === null ? null : { ...rest, protocol, fields };
}

function parseObject(text: string): SdkRequest['fields'] | null {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? Object.fromEntries(Object.entries(value)) : null;
  } catch {
    return null;
  }
}
