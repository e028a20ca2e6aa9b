import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { openWindowServer } from '../../../gateway/api/api.ts';
import type { Gateway } from '../../../gateway/gateway.ts';
import type { Host } from '../../../gateway/host.ts';
import { type Harness, type HarnessOptions, startHarness } from './harness.ts';
import { composeRequest, type RawAnswer, sendRaw } from '../net/raw-http.ts';

/** A harness with its window server, which serves a small page. */
export interface WindowHarness extends AsyncDisposable {
  readonly harness: Harness;
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly pageDir: string;
  /** Creates a login link and returns its code. */
  makeCode(): Promise<string>;
  /** Signs a browser in with a new link. */
  signIn(): Promise<SignedInBrowser>;
  /** Advances the clock of the window server. */
  wait(ms: number): void;
  /** The gateway as the window server uses it. */
  readonly gateway: Gateway;
  /** Resolves when this many listeners receive the gateway's events through the window server. */
  whenListeners(count: number): Promise<void>;
  /** Stops the window server; the harness keeps running. */
  closeWindow(): Promise<void>;
}

/** Session data of a browser that signed in. */
export interface SignedInBrowser {
  /** Value of the `Cookie` header. */
  readonly cookie: string;
  readonly token: string;
  /** Header lines of a call. */
  readonly lines: readonly string[];
}

export interface WindowHarnessOptions extends HarnessOptions {
  readonly requestMs?: number;
}

/** The page with an inline style that carries the nonce, as in the real page. */
const PAGE = `<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__"><title>Window</title>
<script type="module" src="/assets/main-1a2b.js"></script><style nonce="__CSP_NONCE__">p{}</style><p>page</p>`;

export async function startWindow(options: WindowHarnessOptions = {}): Promise<WindowHarness> {
  const { requestMs, ...harnessOptions } = options;
  const harness = await startHarness(harnessOptions);
  const pageDir = await mkdtemp(join(tmpdir(), 'gatehouse-page-'));
  await mkdir(join(pageDir, 'assets'));
  await writeFile(join(pageDir, 'index.html'), PAGE);
  await writeFile(join(pageDir, 'assets', 'main-1a2b.js'), 'export const page = 1;\n');
  await writeFile(join(pageDir, '.hidden.json'), '{"hidden":true}');
  let ahead = 0;
  const host: Host = { ...harness.repositories.host, now: () => Date.now() + ahead, randomBytes };
  const { gateway, whenListeners } = countListeners(harness.gateway);
  const server = await openWindowServer({
    port: 0,
    gateway,
    store: harness.repositories.store,
    host,
    pageDir,
    ...(requestMs === undefined ? {} : { requestMs }),
  });
  const makeCode = async () => new URL(await server.createLink()).hash.slice(1);
  return {
    harness,
    port: server.port,
    url: `http://127.0.0.1:${server.port}`,
    pageDir,
    gateway,
    whenListeners,
    makeCode,
    signIn: async () => browserFrom(await exchangeCode(server.port, await makeCode())),
    wait: (ms) => void (ahead += ms),
    closeWindow: () => server.close(),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await harness[Symbol.asyncDispose]();
      await rm(pageDir, { recursive: true });
    },
  };
}

/** Wraps a gateway and counts the listeners of its events. */
function countListeners(gateway: Gateway) {
  let count = 0;
  const waiting = new Set<() => void>();
  const become = (next: number): void => {
    count = next;
    for (const check of waiting) check();
  };
  const on: Gateway['on'] = (listener) => {
    const stop = gateway.on(listener);
    become(count + 1);
    return () => {
      stop();
      become(count - 1);
    };
  };
  const whenListeners = (wanted: number): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (count !== wanted) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  const get = (target: Gateway, key: string | symbol): unknown =>
    key === 'on' ? on : Reflect.get(target, key);
  return { gateway: new Proxy(gateway, { get }), whenListeners };
}

/** Requests a session with a code, as the page does. */
export async function exchangeCode(port: number, code: string): Promise<RawAnswer> {
  return await post(port, '/session', { body: JSON.stringify({ code }) });
}

export interface Post {
  readonly lines?: readonly string[];
  readonly body?: string;
}

/** Posts JSON to the port of the window. */
export async function post(port: number, path: string, options: Post = {}): Promise<RawAnswer> {
  const { lines = [], body = '{}' } = options;
  const request = {
    ask: `POST ${path}`,
    port,
    lines: ['Content-Type: application/json', ...lines],
  };
  return await sendRaw(port, composeRequest({ ...request, body }));
}

function browserFrom(answer: RawAnswer): SignedInBrowser {
  const cookie = (answer.headers.get('set-cookie') ?? '').replace(/;.*$/su, '');
  const parsed: unknown = JSON.parse(answer.body);
  const token =
    typeof parsed === 'object' && parsed !== null && 'token' in parsed ? String(parsed.token) : '';
  return { cookie, token, lines: [`Cookie: ${cookie}`, `x-gatehouse-window: ${token}`] };
}
