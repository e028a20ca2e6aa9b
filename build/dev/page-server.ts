import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, type ProxyOptions, type ViteDevServer } from 'vite';
import { formatPagePolicy } from '../../gateway/api/api.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const HOST = '127.0.0.1';
/** The placeholder in `index.html` for the nonce of the content security policy. */
const NONCE_MARK = '__CSP_NONCE__';
/** The paths that the window's server answers itself: calls, sign-in and files of conversations and videos. */
const ANSWERED_BY_ENGINE = ['/rpc', '/session', '/media'];

/** Vite's cache of bundled libraries. */
const CACHE = join(ROOT, 'out', 'dev', 'vite');
/** The folders that the page is made of. In a second working tree, node_modules may be a link to those of the first. */
const SERVED = [
  join(ROOT, 'renderer'),
  join(ROOT, 'shared'),
  CACHE,
  realpathSync(join(ROOT, 'node_modules')),
];

/** A library of thousands of small modules. */
const ICONS = '@tabler/icons-react';

export interface PageServerOptions {
  /** The URL of the server on 127.0.0.1. */
  readonly port: number;
  /**
   * The port of the engine's window server, which answers the page's calls; `null` when the app shows the page under an address of its
   * own.
   */
  readonly enginePort: number | null;
}

/** Serves the page from its sources, and updates it in the browser when they change. */
export async function openPageServer(options: PageServerOptions): Promise<ViteDevServer> {
  const { port, enginePort } = options;
  const nonce = randomBytes(16).toString('base64');
  const server = await createServer({
    configFile: join(ROOT, 'renderer', 'vite.config.ts'),
    cacheDir: CACHE,
    logLevel: 'warn',
    clearScreen: false,
    optimizeDeps: { exclude: [ICONS] },
    html: { cspNonce: nonce },
    plugins: [
      { name: 'single-icons', transform: importSingleIcons },
      {
        name: 'page-nonce',
        transformIndexHtml: (html) => html.replaceAll(NONCE_MARK, nonce),
      },
    ],
    server: {
      host: HOST,
      port,
      strictPort: true,
      hmr: { host: HOST, clientPort: port },
      headers: { 'content-security-policy': policyFor(nonce, port) },
      // Every user of this machine can reach the port, and out/dev/data contains the history, so nothing else is served, and no other
      // page may read it.
      fs: { allow: SERVED },
      cors: false,
      warmup: { clientFiles: ['./main.ts'] },
      ...(enginePort === null ? {} : { proxy: proxyTo(enginePort) }),
    },
  });
  return await server.listen();
}

/**
 * The policy of the built page with additions for reloading: one inline script with the nonce, a socket to the server, and a worker that
 * waits for it.
 */
function policyFor(nonce: string, port: number): string {
  return formatPagePolicy(nonce)
    .replace("script-src 'self'", `script-src 'self' 'nonce-${nonce}'`)
    .replace("connect-src 'self'", `connect-src 'self' ws://${HOST}:${port}`)
    .concat('; worker-src blob:');
}

/** Forwards requests as if they had been sent to the engine. A foreign `Origin` stays as it is, and is rejected there. */
function proxyTo(enginePort: number): Record<string, ProxyOptions> {
  const target = `http://${HOST}:${enginePort}`;
  const options: ProxyOptions = {
    target,
    changeOrigin: true,
    configure: (proxy) => {
      proxy.on('proxyReq', (outgoing, { headers }) => {
        if (headers.origin === `http://${headers.host}`) outgoing.setHeader('origin', target);
      });
    },
  };
  return Object.fromEntries(ANSWERED_BY_ENGINE.map((path) => [path, options]));
}

/** Imports each icon from its own module: the complete library is half of the page's code. */
function importSingleIcons(code: string, id: string): string | null {
  if (!/\.tsx?$/u.test(id)) return null;
  return code.replaceAll(
    /import \{([^}]*)\} from ['"]@tabler\/icons-react['"];/gu,
    (_all, names: string) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
        .map((name) => `import ${name} from '${ICONS}/dist/esm/icons/${name}.mjs';`)
        .join(' '),
  );
}
